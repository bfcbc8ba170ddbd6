import Foundation
import KingfisherImage

enum FrameState {
    case ready(Image)
    case pending
    /// Corrupt in the file: the previous frame stays visible.
    case missing
}

protocol FrameSupply: AnyObject, Sendable {
    var durations: [TimeInterval] { get }
    /// Moves to the frame at `index`, unless it is pending.
    func take(_ index: Int) -> FrameState
    func setActive(_ isActive: Bool)
    /// Called when the player has moved, so that more frames can be decoded.
    func prepare()
}

final class DecodedFrames: FrameSupply {
    private let images: [Image]
    let durations: [TimeInterval]

    /// Nil for an image that is not an animation, or whose frames are decoded on demand.
    init?(of image: Image) {
        guard let images = image.images, let durations = image.frameDurations, images.count > 1 else {
            return nil
        }
        (self.images, self.durations) = (images, durations)
    }

    func take(_ index: Int) -> FrameState { .ready(images[index]) }

    func setActive(_ isActive: Bool) {}

    func prepare() {}
}
