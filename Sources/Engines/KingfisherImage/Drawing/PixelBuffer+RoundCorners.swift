import Glibc

extension PixelBuffer {
    /// The image with rounded, antialiased corners, over `background` if given.
    ///
    /// The result is RGBA of the same depth; the premultiplied image if nothing changes. `radius` is in
    /// pixels and limited to half the shorter side.
    func roundedCorners(
        _ corners: RectCorner, radius: Double, background: Color?
    ) throws(ImageCodecError) -> PixelBuffer {
        switch format.depth {
        case .eight: try rounded(corners, radius, background?.premultipliedRGBA() as SIMD4<UInt8>?)
        case .sixteen: try rounded(corners, radius, background?.premultipliedRGBA() as SIMD4<UInt16>?)
        }
    }

    private func rounded<Sample: KernelSample>(
        _ corners: RectCorner, _ radius: Double, _ background: SIMD4<Sample>?
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied(format.depth)
        let shape = RoundedRectangle<Sample>(in: size, radius: radius, corners: corners)
        let isCovered = shape.isWhole && source.format.isOpaque
        if isCovered || (shape.isWhole && background == nil) { return source }
        let ink = background?.samples
        let target = PixelFormat(
            layout: .rgba, depth: source.format.depth, alpha: ink?.last == .max ? .opaque : .premultiplied)
        return try source.redrawn(as: target) { rows, stride throws(ImageCodecError) in
            let coverage = try Scratch(byteCount: width * MemoryLayout<Sample>.size)
            let shares = coverage.samples(as: Sample.self)
            for y in 0..<height {
                let isRound = min(y, height - 1 - y) < shape.band
                guard isRound || !source.format.isOpaque else { continue }
                let row = (rows + y * stride).assumingMemoryBound(to: Sample.self)
                if isRound {
                    shape.cover(row: y, into: UnsafeMutableBufferPointer(start: shares, count: width))
                    Sample.cover(row, shares, width)
                }
                if let ink { Sample.underlay(row, width, ink) }
            }
        }
    }

    func redrawn(
        as format: PixelFormat,
        _ change: (_ rows: UnsafeMutableRawPointer, _ stride: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(size, format: format) { target, stride throws(ImageCodecError) in
            // Adopted rows may have another stride.
            let bytes = width * format.bytesPerPixel
            for y in 0..<height { memcpy(target + y * stride, unsafeBase + y * bytesPerRow, bytes) }
            try change(target, stride)
        }
    }
}
