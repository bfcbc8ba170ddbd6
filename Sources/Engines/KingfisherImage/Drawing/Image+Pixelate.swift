public import Foundation
import Glibc

extension KingfisherWrapper where Base == Image {
    /// The image in squares of one colour, each the mean of its pixels, from the top left on.
    ///
    /// `blockSize` is the side of a square in points, rounded to pixels; squares at the right and bottom
    /// edges may be smaller. Depth and layout are unchanged; an animation gives its first frame. Returns the
    /// image itself if a square has at most one pixel, or if `blockSize` is not finite. Works on the caller's
    /// thread.
    public func pixelated(blockSize: CGFloat) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let side = (blockSize * base.scale).rounded()
            guard side.isFinite, side > 1 else { return nil }
            return try pixels.pixelated(side: Int(min(side, CGFloat(max(pixels.width, pixels.height)))))
        }
    }
}

extension PixelBuffer {
    fileprivate func pixelated(side: Int) throws(ImageCodecError) -> PixelBuffer {
        switch (format.alpha, format.depth) {
        // The mean of colours without their alpha would show the colour of invisible pixels.
        case (.straight, _): try converted(to: format.premultiplied).pixelated(side: side)
        case (_, .eight): try means(of: UInt8.self, side: side)
        case (_, .sixteen): try means(of: UInt16.self, side: side)
        }
    }

    private func means<Sample: FixedWidthInteger>(
        of sample: Sample.Type, side: Int
    ) throws(ImageCodecError) -> PixelBuffer {
        let channels = format.layout.channels
        let blocks = stride(from: 0, to: width, by: side).map { $0..<min($0 + side, width) }
        let scratch = try Scratch(byteCount: blocks.count * channels * MemoryLayout<UInt64>.size)
        let sums = scratch.samples(as: UInt64.self)
        return try PixelBuffer.decoding(size, format: format, extent: extent) { rows, rowBytes in
            for top in stride(from: 0, to: height, by: side) {
                let bottom = min(top + side, height)
                sums.update(repeating: 0, count: blocks.count * channels)
                for y in top..<bottom {
                    let row = (unsafeBase + y * bytesPerRow).assumingMemoryBound(to: Sample.self)
                    for (block, columns) in blocks.enumerated() {
                        Self.add(row, columns, channels, to: sums + block * channels)
                    }
                }
                let first = (rows + top * rowBytes).assumingMemoryBound(to: Sample.self)
                for (block, columns) in blocks.enumerated() {
                    let area = UInt64(columns.count * (bottom - top))
                    for channel in 0..<channels {
                        let mean = Sample((sums[block * channels + channel] + area / 2) / area)
                        for x in columns { first[x * channels + channel] = mean }
                    }
                }
                for y in top + 1..<max(bottom, top + 1) {
                    memcpy(rows + y * rowBytes, first, width * format.bytesPerPixel)
                }
            }
        }
    }

    private static func add<Sample: FixedWidthInteger>(
        _ row: UnsafePointer<Sample>, _ columns: Range<Int>, _ channels: Int,
        to sums: UnsafeMutablePointer<UInt64>
    ) {
        for x in columns {
            for channel in 0..<channels { sums[channel] &+= UInt64(row[x * channels + channel]) }
        }
    }
}
