/// A picture as GIF holds it: at most 256 colours, one of which may stand for transparent pixels.
///
/// Exact when the picture has few enough colours; otherwise each pixel takes the nearest of the colours
/// chosen for it. What is less than half opaque becomes transparent, the rest opaque.
struct IndexedPicture {
    /// The palette; black at the transparent index.
    private(set) var colors: [SIMD3<UInt8>] = []
    private(set) var transparentIndex: Int?
    /// Row by row, without padding.
    private(set) var indices: [UInt8] = []
    let size: PixelSize

    init(_ picture: PixelBuffer) throws(ImageCodecError) {
        let format = picture.format
        let isStraight = format.layout == .rgba && format.depth == .eight && format.alpha != .premultiplied
        let pixels = isStraight ? picture : try picture.converted(to: .rgba8Straight)
        size = pixels.size
        if !countColors(of: pixels) { chooseColors(for: pixels) }
    }

    /// Numbers the colours as they come; false, with nothing done, when there are more than a palette holds.
    private mutating func countColors(of pixels: PixelBuffer) -> Bool {
        var palette = ExactPalette()
        var indices = [UInt8]()
        indices.reserveCapacity(size.area)
        for y in 0..<size.height {
            let isFull = pixels.withRow(y) { row in
                for pixel in row {
                    guard let index = palette.index(of: pixel) else { return true }
                    indices.append(index)
                }
                return false
            }
            if isFull { return false }
        }
        colors = palette.colors
        transparentIndex = palette.transparentIndex
        self.indices = indices
        return true
    }

    private mutating func chooseColors(for pixels: PixelBuffer) {
        var histogram = ColorHistogram()
        for y in 0..<size.height { pixels.withRow(y) { histogram.add($0) } }
        let hasTransparency = histogram.opaqueCount < size.area
        colors = histogram.palette(upTo: hasTransparency ? 255 : 256)
        var nearest = NearestColor(colors)
        let transparent = UInt8(truncatingIfNeeded: colors.count)
        indices.reserveCapacity(size.area)
        for y in 0..<size.height {
            pixels.withRow(y) { row in
                for pixel in row {
                    indices.append(pixel.isClear ? transparent : nearest.index(of: pixel.color))
                }
            }
        }
        if hasTransparency {
            transparentIndex = colors.count
            colors.append(SIMD3())
        }
    }
}

/// Straight RGBA, as memory holds it.
struct StraightPixel {
    let red, green, blue, alpha: UInt8

    /// GIF has nothing between opaque and transparent.
    var isClear: Bool { alpha < 128 }
    var color: SIMD3<UInt8> { SIMD3(red, green, blue) }
}

extension PixelBuffer {
    /// Lends row `y` of a picture in 8-bit RGBA to `body`.
    fileprivate func withRow<Result>(
        _ y: Int, _ body: (UnsafeBufferPointer<StraightPixel>) -> Result
    ) -> Result {
        withUnsafeBytes { bytes in
            let row = UnsafeRawBufferPointer(rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + width * 4])
            return body(row.bindMemory(to: StraightPixel.self))
        }
    }
}

/// Colours in the order in which they were first seen.
private struct ExactPalette {
    private(set) var colors: [SIMD3<UInt8>] = []
    private(set) var transparentIndex: Int?
    private var known: [UInt32: UInt8] = [:]
    private var last: (key: UInt32, index: UInt8)?

    /// Nil for the 257th colour.
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
