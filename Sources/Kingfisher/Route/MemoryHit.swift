import Foundation
import KingfisherImage

/// A picture that memory has for a request.
enum MemoryHit: Sendable {
    /// It is as the request wants it.
    case ready(KFCrossPlatformImage)
    /// It was made anew for such requests, of what is stored.
    case recreated(KFCrossPlatformImage, of: KFCrossPlatformImage)
    /// It is an animation that was made with other options; what it was made of is there to make it anew.
    case outdated(KFCrossPlatformImage, AnimationMaterial)

    /// The picture that can be handed out at once, if there is one.
    var picture: KFCrossPlatformImage? {
        switch self {
        case .ready(let picture), .recreated(let picture, _): picture
        case .outdated: nil
        }
    }

    /// What memory holds.
    var stored: KFCrossPlatformImage {
        switch self {
        case .ready(let stored), .recreated(_, let stored), .outdated(let stored, _): stored
        }
    }
}
