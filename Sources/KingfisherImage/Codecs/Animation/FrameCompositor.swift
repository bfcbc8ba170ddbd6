/// How the frames of an animated file become images: what a frame covers, what it is drawn over, what stays
/// behind for the next one.
///
/// A value made from the file's structure without its pixels. Its functions depend on nothing else, so that
/// `ComposedFrameSource` can compose any frame again from a canvas that it kept. Called on any thread, one
/// call at a time for each source.
public protocol FrameCompositor: Sendable {
    /// The size of every composed frame, before it is turned upright. Check it first, by
    /// `ImageLimits.check(canvas:format:)`.
    var canvas: PixelSize { get }
    /// Bytes that a pixel of the canvas takes; 4 unless said otherwise.
    var bytesPerPixel: Int { get }
    /// How long each frame is shown, and how often the animation plays.
    var timing: AnimationTiming { get }

    /// Whether the image shown at `number` does not depend on the frames before.
    func isKeyFrame(_ number: Int) -> Bool

    /// The image shown at `number`, drawn over `base`; nil stands for a transparent canvas. `file` lends the
    /// bytes of the file.
    func compose(
        _ number: Int, of file: ByteReader, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer

    /// What the next frame is drawn over, after `number` was `shown` over `base`.
    func base(
        after number: Int, shown: PixelBuffer, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer?

    /// What is displayed of a composed image: turned upright, its colours converted; itself by default. The
    /// next frame is drawn over the image as it was before.
    func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer
}

extension FrameCompositor {
    public func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer { shown }
}

extension FrameCompositor {
    public var bytesPerPixel: Int { 4 }

    /// Bytes of one canvas.
    var canvasBytes: Int {
        let (bytes, overflow) = canvas.area.multipliedReportingOverflow(by: bytesPerPixel)
        return overflow ? .max : bytes
    }
}
