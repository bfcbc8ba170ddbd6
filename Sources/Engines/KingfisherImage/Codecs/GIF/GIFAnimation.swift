/// Decides how each frame is drawn: which pixels are new, and whether the canvas is cleared afterwards.
///
/// A frame that makes opaque pixels transparent can only be drawn on an empty canvas, so the frame before it
/// must clear the canvas. The next frame decides that, so one frame is always pending.
struct GIFAnimation {
    private var writer: GIFWriter
    private let colors: Int
    private var waiting: Frame?
    private var startsWithHole = false

    private struct Frame {
        let image: PixelBuffer
        let base: PixelBuffer?
        let hundredths: Int
    }

    /// `colors` is the maximum of each frame's palette.
    init(_ writer: GIFWriter, colors: Int) {
        self.writer = writer
        self.colors = colors
    }

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

    mutating func finish() -> GIFWriter {
        // On repetition, the last frame must not show through transparent pixels of the first.
        if let waiting { write(waiting, clears: startsWithHole) }
        waiting = nil
        writer.finish()
        return writer
    }

    private mutating func write(_ frame: Frame, clears: Bool) {
        let drawing = GIFDrawing(frame.image, over: frame.base, fillsCanvas: clears)
        // 256 colours leave no transparent index for unchanged pixels; drawing these again is still exact.
        let image =
            IndexedImage(exactly: drawing.pixels, limit: colors)
            ?? IndexedImage(exactly: drawing.drawingAll(of: frame.image).pixels, limit: colors)
            ?? IndexedImage(dithering: drawing.pixels, width: drawing.area.width, limit: colors)
        writer.append(image, in: drawing.area, hundredths: frame.hundredths, clears: clears)
    }
}

extension PixelBuffer {
    fileprivate var hasHole: Bool {
        GIFDrawing(self, over: nil, fillsCanvas: true).pixels.contains(where: \.isTransparent)
    }
}
