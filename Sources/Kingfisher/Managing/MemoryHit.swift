import Foundation
import KingfisherImage

/// A picture that memory has for a request.
enum MemoryHit: Sendable {
    /// It is as the request wants it.
    case ready(KFCrossPlatformImage)
    /// It is an animation that was made with other options; what it was made of is there to make it anew.
    case outdated(KFCrossPlatformImage, AnimationMaterial)
}
