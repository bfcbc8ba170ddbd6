/// An image with a palette of at most 256 colours, one of which may be transparent.
///
/// Exact if there are few enough colours; otherwise dithered with chosen colours.
struct IndexedImage {
    /// Red, green, blue and alpha, with colours independent of alpha.
    private(set) var colors: [SIMD4<UInt8>] = []
    private(set) var transparentIndex: Int?
    private(set) var indices: [UInt8] = []

    /// The largest palette of GIF and PNG.
    static let maximumColors = 256

    /// Uses the colours of `pixels`, which are independent of alpha; nil if there are more than `limit`.
    init?(exactly pixels: [PalettePixel], limit: Int = maximumColors) {
        var palette = ExactPalette(limit: limit)
        indices.reserveCapacity(pixels.count)
        for pixel in pixels {
            guard let index = palette.index(of: pixel) else { return nil }
            indices.append(index)
        }
        colors = palette.colors
        transparentIndex = palette.transparentIndex
    }

    /// Chooses at most `limit` colours for `pixels`, whose colours are multiplied by alpha, and dithers.
    ///
    /// Opaque pixels stay opaque if `limit` is at least 3.
    init(dithering pixels: [PalettePixel], width: Int, limit: Int = maximumColors) {
        var histogram = ColorHistogram()
        pixels.withUnsafeBufferPointer { histogram.add($0) }
        let hasTransparency = histogram.shownCount < pixels.count
        let chosen = histogram.palette(upTo: hasTransparency ? limit - 1 : limit)
        let transparent = UInt8(truncatingIfNeeded: chosen.count)
        indices = ErrorDiffusion.indices(of: pixels, width: width, in: chosen, transparent: transparent)
        colors = chosen.map(Self.straight)
        if hasTransparency {
            transparentIndex = colors.count
            colors.append(SIMD4())
        }
    }

    private static func straight(_ color: SIMD4<UInt8>) -> SIMD4<UInt8> {
        guard color.w > 0, color.w < 255 else { return color }
        let alpha = UInt32(color.w)
        let levels = (SIMD4<UInt32>(truncatingIfNeeded: color) &* 255 &+ alpha / 2) / alpha
        return SIMD4(UInt8(clamping: levels.x), UInt8(clamping: levels.y), UInt8(clamping: levels.z), color.w)
    }
}

private struct ExactPalette {
    private let limit: Int
    private(set) var colors: [SIMD4<UInt8>] = []
    private(set) var transparentIndex: Int?
    private var known: [UInt32: UInt8] = [:]
    private var last: (key: UInt32, index: UInt8)?

    init(limit: Int) {
        self.limit = limit
    }

    mutating func index(of pixel: PalettePixel) -> UInt8? {
        let pixel = pixel.isTransparent ? .transparent : pixel
        let key =
            UInt32(pixel.alpha) << 24 | UInt32(pixel.red) | UInt32(pixel.green) << 8 | UInt32(pixel.blue)
            << 16
        if let last, last.key == key { return last.index }
        if let index = known[key] {
            last = (key, index)
            return index
        }
        guard colors.count < limit, let index = UInt8(exactly: colors.count) else { return nil }
        colors.append(pixel.levels)
        if pixel.isTransparent { transparentIndex = Int(index) }
        known[key] = index
        last = (key, index)
        return index
    }
}
