import CKernels

extension PixelBuffer {
    /// The image with a line of `width` pixels inside its edge, as 8-bit premultiplied RGBA.
    ///
    /// The line is the coverage of the outer shape minus the coverage of the inner one. Both are exact, so
    /// that thin lines and curved corners get the correct weight.
    func bordered(
        width lineWidth: Double, radius: Double, corners: RectCorner, color: Color
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let outer = RoundedRectangle(in: size, radius: radius, corners: corners)
        let limited = min(max(radius, 0), Double(min(width, height)) / 2)
        let inner = RoundedRectangle(
            in: size, inset: lineWidth, radius: limited - lineWidth, corners: corners)
        let band = max(outer.band, inner.band)
        let ink = color.premultipliedRGBA8.bytes
        return try source.redrawn(as: source.format) { rows, stride throws(ImageCodecError) in
            let coverage = try Scratch(byteCount: 2 * width)
            let line = UnsafeMutableBufferPointer(start: coverage.bytes, count: width)
            let inside = UnsafeMutableBufferPointer(start: coverage.bytes + width, count: width)
            for y in 0..<height {
                // All rows between the bands are equal.
                if y <= band || y >= height - band {
                    outer.cover(row: y, into: line)
                    inner.cover(row: y, into: inside)
                    for x in 0..<width { line[x] -= min(line[x], inside[x]) }
                }
                kf_paint(KernelLevel.current.native, rows + y * stride, coverage.bytes, width, ink)
            }
        }
    }
}
