import Foundation
import KingfisherImage

/// A frame as a player finds it.
enum FrameState {
    case ready(Image)
    /// Not there yet; whoever asked is told when it is.
    case pending
    /// Cannot be had: the image before it stays.
    case missing
}

/// Where a player has its frames from.
protocol FrameSupply: AnyObject, Sendable {
    /// Seconds that each frame is shown.
    var durations: [TimeInterval] { get }
    /// Moves on to the frame at `index`, unless it is pending.
    func take(_ index: Int) -> FrameState
    /// Tells whether frames are being played now, or nobody looks.
    func setActive(_ isActive: Bool)
    /// Tells that the player has moved on, so that more frames can be made ready.
    func prepare()
}

/// The frames that an image holds in memory.
final class DecodedFrames: FrameSupply {
    private let images: [Image]
    let durations: [TimeInterval]

    /// Nil for an image that is no animation, or whose frames are decoded on demand.
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
