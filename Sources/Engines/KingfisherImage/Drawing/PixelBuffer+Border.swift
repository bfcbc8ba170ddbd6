extension PixelBuffer {
    /// The image with a line of `width` pixels inside its edge, as premultiplied RGBA of the same depth.
    ///
    /// The line is the coverage of the outer shape minus the coverage of the inner one. Both are exact, so
    /// that thin lines and curved corners get the correct weight.
    func bordered(
        width lineWidth: Double, radius: Double, corners: RectCorner, color: Color
    ) throws(ImageCodecError) -> PixelBuffer {
        switch format.depth {
        case .eight:
            try bordered(lineWidth, radius, corners, color.premultipliedRGBA() as SIMD4<UInt8>)
        case .sixteen:
            try bordered(lineWidth, radius, corners, color.premultipliedRGBA() as SIMD4<UInt16>)
        }
    }

    private func bordered<Sample: KernelSample>(
        _ lineWidth: Double, _ radius: Double, _ corners: RectCorner, _ ink: SIMD4<Sample>
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied(format.depth)
        let outer = RoundedRectangle<Sample>(in: size, radius: radius, corners: corners)
        let limited = min(max(radius, 0), Double(min(width, height)) / 2)
        let inner = RoundedRectangle<Sample>(
            in: size, inset: lineWidth, radius: limited - lineWidth, corners: corners)
        let band = max(outer.band, inner.band)
        let color = ink.samples
        return try source.redrawn(as: source.format) { rows, stride throws(ImageCodecError) in
            let coverage = try Scratch(byteCount: 2 * width * MemoryLayout<Sample>.size)
            let shares = coverage.samples(as: Sample.self)
            let line = UnsafeMutableBufferPointer(start: shares, count: width)
            let inside = UnsafeMutableBufferPointer(start: shares + width, count: width)
            for y in 0..<height {
                // All rows between the bands are equal.
                if y <= band || y >= height - band {
                    outer.cover(row: y, into: line)
                    inner.cover(row: y, into: inside)
                    for x in 0..<width { line[x] -= min(line[x], inside[x]) }
                }
                Sample.paint(
                    (rows + y * stride).assumingMemoryBound(to: Sample.self), shares, width, color)
            }
        }
    }
}
