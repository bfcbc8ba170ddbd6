/// Decides how each frame of an animation is drawn: what of it is new, and whether the canvas is cleared
/// behind it.
///
/// A frame that makes opaque pixels clear can only be drawn on an empty canvas, so the one before it has to
/// be taken away, all of it. It is known when the next one comes, which is why one frame always waits.
struct GIFAnimation {
    private var writer: GIFWriter
    private var waiting: Frame?
    private var startsWithHole = false

    private struct Frame {
        let image: PixelBuffer
        /// What it is drawn over; nil for an empty canvas.
        let base: PixelBuffer?
        let hundredths: Int
    }

    init(_ writer: GIFWriter) {
        self.writer = writer
    }

    /// Adds a frame in straight 8-bit RGBA.
    mutating func append(_ image: PixelBuffer, hundredths: Int) throws(ImageCodecError) {
        guard let last = waiting else {
            startsWithHole = image.hasHole
            waiting = Frame(image: image, base: nil, hundredths: hundredths)
            return
        }
        guard image.size == last.image.size else { throw .unsupported("frames of different sizes") }
        let clears = GIFDrawing.uncovers(image, base: last.image)
        write(last, clears: clears)
        waiting = Frame(image: image, base: clears ? nil : last.image, hundredths: hundredths)
    }

    /// Writes what waits, ends the file and gives it.
    mutating func finish() -> GIFWriter {
        // Nothing of the last frame may be seen through the first one.
        if let waiting { write(waiting, clears: startsWithHole) }
        waiting = nil
        writer.finish()
        return writer
    }

    private mutating func write(_ frame: Frame, clears: Bool) {
        let drawing = GIFDrawing(frame.image, over: frame.base, fillsCanvas: clears)
        // 256 colours leave no index for what stays as it was; drawn again they are exact all the same.
        let image =
            IndexedImage(exactly: drawing)
            ?? IndexedImage(exactly: drawing.drawingAll(of: frame.image))
            ?? IndexedImage(dithering: drawing)
        writer.append(image, hundredths: frame.hundredths, clears: clears)
    }
}

extension PixelBuffer {
    fileprivate var hasHole: Bool {
        GIFDrawing(self, over: nil, fillsCanvas: true).pixels.contains(where: \.isClear)
    }
}
