public import Foundation

/// The frames of an animation, decoded when they are asked for. Safe from any thread.
public protocol ImageFrameSource: Sendable {
    /// The bytes of the file that holds the frames; nil when they come from elsewhere.
    var data: Data? { get }
    /// Frames in all.
    var frameCount: Int { get }
    /// How often the animation plays; 0 means for ever.
    var loopCount: Int { get }
    /// The composed frame at `index`, shrunk to fit `maxSize` pixels where given; nil outside or when broken.
    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer?
    /// How long the frame is shown, in seconds.
    func duration(at index: Int) -> TimeInterval
    /// A source over the same frames that shares no decoding state with this one.
    func copy() -> Self
}

extension ImageFrameSource {
    /// For ever.
    public var loopCount: Int { 0 }

    /// The composed frame at its own size.
    public func frame(at index: Int) -> PixelBuffer? {
        frame(at: index, maxSize: nil)
    }
}
