extension ThumbHash {
    /// Makes an image, at scale 1, whose longer side has `longerSide` pixels. Its alpha is straight.
    ///
    /// The shorter side follows from `aspectRatio`. 32 pixels are enough for any hash; views scale the image
    /// up. Works on the caller's thread. Throws the error of `ImageLimits` for a size that is empty or too
    /// large.
    public func image(longerSide: Int = 32) throws(ImageCodecError) -> Image {
        let (header, ratio) = (header, aspectRatio)
        // Compared first, because the conversion to an integer must not overflow.
        guard longerSide > 0, longerSide <= ImageLimits.maximumPixels else {
            throw .tooLarge(width: longerSide, height: longerSide)
        }
        let shorter = max(1, Int((Double(longerSide) * min(ratio, 1 / ratio)).rounded()))
        let size =
            ratio > 1
            ? PixelSize(width: longerSide, height: shorter) : PixelSize(width: shorter, height: longerSide)
        let format: PixelFormat = header.hasAlpha ? .rgba8Straight : .rgba8Opaque
        let pixels = try grid(header).pixels(size, format: format, phase: 0.5) { channels in
            let color = Self.color(channels)
            return SIMD4(level(color.x), level(color.y), level(color.z), level(color.w))
        }
        return Image(pixels: pixels)
    }

    /// The 8-bit level of 0...1; other values are clamped.
    private func level(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 1) * 255 + 0.5) }

    private func grid(_ header: Header) -> CosineGrid {
        let channels = header.channels
        var grid = CosineGrid(
            columns: channels.map(\.columns).max() ?? 0, rows: channels.map(\.rows).max() ?? 0)
        grid[0, 0] = header.averages
        // Quantisation makes colours paler; the references amplify them by a quarter.
        let scales = header.scales * SIMD4(2, 2 * 1.25, 2 * 1.25, 2)
        var place = 0
        for (channel, triangle) in channels.enumerated() {
            for row in 0..<triangle.rows {
                for column in (row == 0 ? 1 : 0)..<triangle.columns(inRow: row) {
                    let byte = bytes[header.byteCount + place / 2]
                    let level = place % 2 == 0 ? byte & 15 : byte >> 4
                    grid[column, row][channel] = (Double(level) / 7.5 - 1) * scales[channel]
                    place += 1
                }
            }
        }
        return grid
    }
}
