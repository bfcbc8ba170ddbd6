extension BlurHash {
    /// Makes an opaque image of `size` pixels, at scale 1.
    ///
    /// 32 pixels are enough for any hash; views scale the image up. A greater `punch` gives more contrast;
    /// it is clamped to 0...100, and NaN counts as 1. Works on the caller's thread. Throws the error of
    /// `ImageLimits` for a size that is empty or too large.
    public func image(
        size: PixelSize = PixelSize(width: 32, height: 32), punch: Double = 1
    ) throws(ImageCodecError) -> Image {
        let grid = grid(punch: punch.isNaN ? 1 : min(max(punch, 0), 100))
        let pixels = try grid.pixels(size, format: .rgba8Opaque, phase: 0) { color in
            SIMD4(
                SRGBLevels.level(color.x), SRGBLevels.level(color.y), SRGBLevels.level(color.z), 255)
        }
        return Image(pixels: pixels)
    }

    /// The components in linear light.
    private func grid(punch: Double) -> CosineGrid {
        let scale = Double(maximum + 1) / 166 * punch
        func amplitude(_ level: Int) -> Double {
            let root = Double(level - Self.levels / 2) / 9
            return root * abs(root) * scale
        }
        let first = SIMD4(
            SRGBLevels.linear[average >> 16], SRGBLevels.linear[average >> 8 & 255],
            SRGBLevels.linear[average & 255], 0)
        let others = amplitudes.map { levels in
            SIMD4(
                amplitude(levels / (Self.levels * Self.levels)),
                amplitude(levels / Self.levels % Self.levels), amplitude(levels % Self.levels), 0)
        }
        return CosineGrid(columns: columns, rows: rows, values: [first] + others)
    }
}
