import CKernels
import Glibc

extension PixelBuffer {
    /// The image with rounded, antialiased corners, over `background` if given.
    ///
    /// The result is 8-bit RGBA; the premultiplied image if nothing changes. `radius` is in pixels and
    /// limited to half the shorter side.
    func roundedCorners(
        _ corners: RectCorner, radius: Double, background: Color?
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let shape = RoundedRectangle(in: size, radius: radius, corners: corners)
        let isCovered = shape.isWhole && source.format.isOpaque
        if isCovered || (shape.isWhole && background == nil) { return source }
        let ink = background?.premultipliedRGBA8.bytes
        let format: PixelFormat = ink?.last == 255 ? .rgba8Opaque : .rgba8Premultiplied
        return try source.redrawn(as: format) { rows, stride throws(ImageCodecError) in
            let coverage = try Scratch(byteCount: width)
            let shares = UnsafeMutableBufferPointer(start: coverage.bytes, count: width)
            for y in 0..<height {
                let isRound = min(y, height - 1 - y) < shape.band
                guard isRound || !source.format.isOpaque else { continue }
                let row = rows + y * stride
                if isRound {
                    shape.cover(row: y, into: shares)
                    kf_cover(row, coverage.bytes, width)
                }
                if let ink { kf_underlay(KernelLevel.current.native, row, width, ink) }
            }
        }
    }

    func redrawn(
        as format: PixelFormat,
        _ change: (_ rows: UnsafeMutablePointer<UInt8>, _ stride: Int) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(size, format: format) { target, stride throws(ImageCodecError) in
            // Adopted rows may have another stride.
            for y in 0..<height { memcpy(target + y * stride, unsafeBase + y * bytesPerRow, width * 4) }
            try change(target.assumingMemoryBound(to: UInt8.self), stride)
        }
    }
}

extension SIMD4<UInt8> {
    var bytes: [UInt8] { [x, y, z, w] }
}
