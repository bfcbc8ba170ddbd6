public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image without a border in the colour of its top left pixel.
    ///
    /// A row or column is removed from an edge if every channel of all its pixels, multiplied by alpha,
    /// differs from the top left pixel by at most `tolerance`, where 1 is the whole range of a channel.
    /// Pixels, depth and layout of the rest are unchanged. An animation gives its first frame, so the frames
    /// of a processed animation may differ in size. Returns the image itself if nothing would remain, if
    /// nothing is removed, or if `tolerance` is NaN. Works on the caller's thread.
    public func trimmed(tolerance: CGFloat = 0.04) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard !tolerance.isNaN else { return nil }
            let limit = Int(min(max(tolerance, 0), 1) * 255)
            guard let content = try pixels.premultiplied().contentBounds(tolerance: limit),
                content.columns.count < pixels.width || content.rows.count < pixels.height
            else { return nil }
            return try pixels.cropped(
                x: content.columns.lowerBound, y: content.rows.lowerBound, width: content.columns.count,
                height: content.rows.count)
        }
    }
}

extension PixelBuffer {
    /// The smallest rectangle with all pixels that differ from the top left one; nil if there is none. For
    /// RGBA of 8 bits.
    fileprivate func contentBounds(tolerance: Int) -> (columns: Range<Int>, rows: Range<Int>)? {
        withUnsafeBytes { bytes in
            let reference = bytes.loadUnaligned(as: SIMD4<UInt8>.self)
            let reach = SIMD4<UInt8>(repeating: UInt8(tolerance))
            func differs(_ x: Int, _ y: Int) -> Bool {
                let pixel = bytes.loadUnaligned(
                    fromByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
                let distance = pointwiseMax(pixel, reference) &- pointwiseMin(pixel, reference)
                return any(distance .> reach)
            }
            let columns = 0..<width
            guard let top = (0..<height).first(where: { y in columns.contains { differs($0, y) } }),
                let bottom = (0..<height).last(where: { y in columns.contains { differs($0, y) } })
            else { return nil }
            var (left, right) = (width, 0)
            for y in top...bottom {
                left = (0..<left).first { differs($0, y) } ?? left
                right = (right..<width).last { differs($0, y) }.map { $0 + 1 } ?? right
            }
            return (left..<right, top..<(bottom + 1))
        }
    }
}
