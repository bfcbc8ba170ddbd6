/// A frame's drawing with a GIF palette: at most 256 colours, one of which may mean an unchanged pixel.
///
/// Exact if there are few enough colours; otherwise dithered with chosen colours.
struct IndexedImage {
    private(set) var colors: [SIMD3<UInt8>] = []
    private(set) var transparentIndex: Int?
    private(set) var indices: [UInt8] = []
    let canvas: PixelSize
    let area: ChangedArea

    init?(exactly drawing: GIFDrawing) {
        (canvas, area) = (drawing.canvas, drawing.area)
        guard useExactColors(of: drawing.pixels) else { return nil }
    }

    init(dithering drawing: GIFDrawing) {
        (canvas, area) = (drawing.canvas, drawing.area)
        chooseColors(for: drawing.pixels)
    }

    private mutating func useExactColors(of pixels: [StraightPixel]) -> Bool {
        var palette = ExactPalette()
        var indices = [UInt8]()
        indices.reserveCapacity(pixels.count)
        for pixel in pixels {
            guard let index = palette.index(of: pixel) else { return false }
            indices.append(index)
        }
        colors = palette.colors
        transparentIndex = palette.transparentIndex
        self.indices = indices
        return true
    }

    private mutating func chooseColors(for pixels: [StraightPixel]) {
        var histogram = ColorHistogram()
        pixels.withUnsafeBufferPointer { histogram.add($0) }
        let hasTransparency = histogram.opaqueCount < pixels.count
        colors = histogram.palette(upTo: hasTransparency ? 255 : 256)
        let transparent = UInt8(truncatingIfNeeded: colors.count)
        indices = ErrorDiffusion.indices(of: pixels, width: area.width, in: colors, transparent: transparent)
        if hasTransparency {
            transparentIndex = colors.count
            colors.append(SIMD3())
        }
    }
}

private struct ExactPalette {
    private(set) var colors: [SIMD3<UInt8>] = []
    private(set) var transparentIndex: Int?
    private var known: [UInt32: UInt8] = [:]
    private var last: (key: UInt32, index: UInt8)?

    mutating func index(of pixel: StraightPixel) -> UInt8? {
        let key =
            pixel.isClear
            ? 1 << 24 : UInt32(pixel.red) | UInt32(pixel.green) << 8 | UInt32(pixel.blue) << 16
        if let last, last.key == key { return last.index }
        if let index = known[key] {
            last = (key, index)
            return index
        }
        guard let index = UInt8(exactly: colors.count) else { return nil }
        colors.append(pixel.isClear ? SIMD3() : pixel.color)
        if pixel.isClear { transparentIndex = Int(index) }
        known[key] = index
        last = (key, index)
        return index
    }
}
