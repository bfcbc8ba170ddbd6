extension ThumbHash {
    /// Computes the hash of an image, or of an animation's first frame.
    ///
    /// The image is first reduced to at most 100 pixels along its longer side. Works on the caller's thread.
    /// Throws `emptyImage`, or an error of the reduction.
    public init(of image: Image) throws(ImageCodecError) {
        let reduced = try image.reduced(toLongerSide: 100)
        let pixels = try reduced.converted(to: reduced.format.isOpaque ? .rgba8Opaque : .rgba8Straight)
        let (channels, hasAlpha) = Self.channels(of: pixels)
        let (size, longest) = (pixels.size, Double(max(pixels.width, pixels.height)))
        var header = Header(
            hasAlpha: hasAlpha, isLandscape: size.width > size.height, shorter: 0,
            averages: .zero, scales: .zero)
        // Rounded half up, as in JavaScript; the reference in Python rounds half to even.
        let shorter = Double(header.longer * min(size.width, size.height)) / longest
        header.shorter = max(1, Int(shorter.rounded()))
        var levels: [UInt8] = []
        for (index, triangle) in header.channels.enumerated() {
            let components = Self.components(of: channels, index, size, triangle)
            let scale = components.dropFirst().reduce(0) { max($0, abs($1)) }
            header.averages[index] = components[0]
            header.scales[index] = scale
            for component in components.dropFirst() {
                let level = scale > 0 ? 0.5 + 0.5 / scale * component : component
                levels.append(UInt8((15 * level).rounded()))
            }
        }
        if !levels.count.isMultiple(of: 2) { levels.append(0) }
        let packed: [UInt8] = stride(from: 0, to: levels.count, by: 2).map {
            levels[$0] | levels[$0 + 1] << 4
        }
        self.init(encoded: header.bytes + packed)
    }

    /// The channels of each pixel, drawn over the average colour, and whether any pixel is transparent.
    private static func channels(
        of pixels: PixelBuffer
    ) -> (channels: [SIMD4<Double>], hasAlpha: Bool) {
        var colors: [SIMD4<Double>] = []
        colors.reserveCapacity(pixels.size.area)
        var sum = SIMD4<Double>.zero
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                for x in 0..<pixels.width {
                    let pixel = y * pixels.bytesPerRow + x * 4
                    let alpha = Double(bytes[pixel + 3]) / 255
                    let share = alpha / 255
                    let color = SIMD4(
                        share * Double(bytes[pixel]), share * Double(bytes[pixel + 1]),
                        share * Double(bytes[pixel + 2]), alpha)
                    sum += color
                    colors.append(color)
                }
            }
        }
        let average = sum.w > 0 ? sum / sum.w : .zero
        for index in colors.indices {
            let alpha = colors[index].w
            let color = average * (1 - alpha) + colors[index]
            colors[index] = SIMD4(
                (color.x + color.y + color.z) / 3, (color.x + color.y) / 2 - color.z, color.x - color.y, alpha
            )
        }
        return (colors, sum.w < Double(pixels.size.area))
    }

    /// The components of one channel, row by row, the average first.
    ///
    /// Each sum adds the pixels row by row, and each product starts with the pixel, as in the references:
    /// flat and symmetrical images have components of zero, whose rounding the last bit of a sum decides.
    private static func components(
        of channels: [SIMD4<Double>], _ channel: Int, _ size: PixelSize, _ triangle: Triangle
    ) -> [Double] {
        let across = CosineTable(count: size.width, components: triangle.columns, phase: 0.5)
        let down = CosineTable(count: size.height, components: triangle.rows, phase: 0.5)
        // All columns at once; there are at most seven.
        let columns = (0..<size.width).map { x in
            var cosines = SIMD8<Double>.zero
            for column in 0..<triangle.columns { cosines[column] = across[column, x] }
            return cosines
        }
        return (0..<triangle.rows).flatMap { row in
            var sums = SIMD8<Double>.zero
            for y in 0..<size.height {
                let cosine = down[row, y]
                for x in 0..<size.width {
                    sums += columns[x] * channels[y * size.width + x][channel] * cosine
                }
            }
            return (0..<triangle.columns(inRow: row)).map { sums[$0] / Double(size.area) }
        }
    }
}
