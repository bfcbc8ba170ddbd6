/// How the frames of an animated file become images: the area of a frame, its background, and what remains
/// for the next frame.
///
/// A value made from the file's structure without its pixels. Its functions have no other input, so that
/// `ComposedFrameSource` can compose a frame again from a cached canvas. Called on any thread, one call at a
/// time per source.
public protocol FrameCompositor: Sendable {
    /// The size of every composed frame, before orientation. Check it first with
    /// `ImageLimits.current.check(canvas:format:)`.
    var canvas: PixelSize { get }
    /// Bytes per pixel of the canvas; 4 by default.
    var bytesPerPixel: Int { get }
    /// The frame durations and the loop count.
    var timing: AnimationTiming { get }

    /// Whether the image shown at `number` does not depend on earlier frames.
    func isKeyFrame(_ number: Int) -> Bool

    /// Returns the image shown at `number`, drawn over `base`; nil means a transparent canvas. `file`
    /// provides the bytes of the file.
    func compose(
        _ number: Int, of file: ByteReader, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer

    /// The canvas for the next frame, after `number` was `shown` over `base`.
    func base(
        after number: Int, shown: PixelBuffer, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer?

    /// Converts a composed image for display: orientation and colours; returns it unchanged by default. The
    /// next frame is drawn over the image before this conversion.
    func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer
}

extension FrameCompositor {
    public func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer { shown }
}

extension FrameCompositor {
    public var bytesPerPixel: Int { 4 }

    var canvasBytes: Int {
        let (bytes, overflow) = canvas.area.multipliedReportingOverflow(by: bytesPerPixel)
        return overflow ? .max : bytes
    }
}
