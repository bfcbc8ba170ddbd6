/// How an animated file's frames become pictures: what a frame covers, what it is drawn over, what it leaves.
///
/// A value made of the file's structure without its pixels; its functions depend on nothing else, so that any
/// frame can be made again from a canvas that was kept.
package protocol FrameCompositor: Sendable {
    /// The size of every picture shown.
    var canvas: PixelSize { get }
    /// Bytes that a pixel of the canvas takes; 4 unless said otherwise.
    var bytesPerPixel: Int { get }
    var timing: AnimationTiming { get }

    /// Whether the picture shown at `number` does not depend on the frames before.
    func isKeyFrame(_ number: Int) -> Bool

    /// The picture shown at `number`, drawn over `base`; nil stands for an empty canvas.
    func compose(
        _ number: Int, of file: ByteReader, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer

    /// What the next frame is drawn over, after `number` was `shown` over `base`.
    func base(
        after number: Int, shown: PixelBuffer, over base: PixelBuffer?
    ) throws(ImageCodecError) -> PixelBuffer?

    /// What people see of a picture that was shown: turned upright, its colours converted. The next frame is
    /// drawn over the picture as it was before.
    func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer
}

extension FrameCompositor {
    package func presented(_ shown: PixelBuffer) throws(ImageCodecError) -> PixelBuffer { shown }
}

extension FrameCompositor {
    package var bytesPerPixel: Int { 4 }

    /// Bytes of one canvas.
    var canvasBytes: Int { canvas.area * bytesPerPixel }
}
