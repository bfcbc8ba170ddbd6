public import Foundation

/// The frames of an animation, decoded on request.
///
/// A custom source plays in every view through `KingfisherWrapper.animatedImage(source:options:baseImage:)`,
/// and a custom codec returns one from `ImageDecoder.frames()`. Requirements:
///
/// - Calls come from any thread, several concurrently; one may wait for another. Each view that plays the
///   frames works on its `copy()`, mostly forwards frame by frame, occasionally at random.
/// - Every frame is complete: composed, upright, and of the same size as the others. Repeated calls for a
///   frame return equal pixels.
/// - A frame that fails to decode is nil; the source never traps. Players and encoders use the frame before
///   it instead. Without the first frame there is no image.
/// - An index outside 0..<`frameCount` returns nil, and a duration of 0.
/// - Views of one image share decoded frames if the source is a class; the frames of a struct are decoded
///   separately for each `Image`.
public protocol ImageFrameSource: Sendable {
    /// The bytes of the file that holds the frames; nil if they come from elsewhere.
    ///
    /// They are stored with the image, written to disk unchanged if no processor changed it, and decoded
    /// again by the codec of their format. So they must show exactly these frames.
    var data: Data? { get }
    /// The number of frames; constant.
    var frameCount: Int { get }
    /// How often the animation plays; 0, the default, means forever.
    var loopCount: Int { get }
    /// The composed frame at `index`, shrunk with its aspect ratio to fit `maxSize` pixels if given, and
    /// never enlarged; nil if out of range or corrupt.
    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer?
    /// How long the frame is shown, in seconds; players use 0.1 if that is not a positive number.
    func duration(at index: Int) -> TimeInterval
    /// A source with the same frames that shares no decoding state with this one.
    func copy() -> Self
}

extension ImageFrameSource {
    /// Forever.
    public var loopCount: Int { 0 }

    /// The composed frame at full size.
    public func frame(at index: Int) -> PixelBuffer? {
        frame(at: index, maxSize: nil)
    }
}
