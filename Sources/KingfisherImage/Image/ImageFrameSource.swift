public import Foundation

/// The frames of an animation, decoded when they are asked for.
///
/// A source of your own plays in every view by `KingfisherWrapper.animatedImage(source:options:baseImage:)`,
/// and it is what a codec of your own answers with (`ImageCodec.frameSource(for:)`). What is asked of it:
///
/// - Calls come from any thread, several at once; one may wait for another. Each view that plays the frames
///   asks a `copy()` of its own, mostly forwards, one frame after the other, and now and then any.
/// - Every frame is whole: composed with what it is drawn over, upright, all of one size. Asked twice
///   for a frame, give equal pixels.
/// - A frame that cannot be had is nil; it never traps. Players and encoders keep the frame before in its
///   place. The first one must be there, or there is no image.
/// - A number outside 0..<`frameCount` gives nil, and a duration of 0.
/// - Views of one image share decoded frames where the source is a class; the frames of a struct are
///   decoded for each `Image` by themselves.
public protocol ImageFrameSource: Sendable {
    /// The bytes of the file that holds the frames; nil when they come from elsewhere.
    ///
    /// They are kept with the image, written to disk as they are where no processor changed it, and read
    /// again by the codec of their format: only bytes that show these very frames will do.
    var data: Data? { get }
    /// Frames in all; always the same number.
    var frameCount: Int { get }
    /// How often the animation plays; 0, the default, means for ever.
    var loopCount: Int { get }
    /// The composed frame at `index`, shrunk in its proportions to fit `maxSize` pixels where given and never
    /// enlarged; nil outside or when broken.
    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer?
    /// How long the frame is shown, in seconds; shown for 0.1 where that is no positive number.
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
