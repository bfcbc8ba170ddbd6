import CKernels

/// Averages the rows of a picture in boxes while they come: of the large picture there are never more than a
/// few rows.
struct PNGShrink {
    let plan: ShrinkPlan
    private let file: PNGFileHeader

    /// Twice the minimum is left, which is four times the target of a thumbnail: from there on the filter
    /// loses nothing (decision 013).
    private static let margin = 2
    /// The rows of a box are held at once.
    private static let largestBox = 1 << 20

    /// Nil where the picture is too small to be made smaller, or its rows are too long to be held.
    init?(_ file: PNGFileHeader, minimumSize: PixelSize) {
        guard minimumSize.width > 0, minimumSize.height > 0 else { return nil }
        let wanted = ShrinkPlan(from: file.size, to: minimumSize, margin: Self.margin)
        let rowBytes = file.size.width * file.pixelFormat.bytesPerPixel
        guard rowBytes <= Self.largestBox else { return nil }
        plan = ShrinkPlan(
            of: file.size, boxWidth: wanted.boxWidth,
            boxHeight: min(wanted.boxHeight, Self.largestBox / rowBytes))
        guard plan.boxWidth > 1 || plan.boxHeight > 1 else { return nil }
        self.file = file
    }

    /// Bytes that the small picture takes, and making it of so many rows at once.
    func byteCount(rowsAtOnce: Int) -> Int {
        PixelBuffer.byteCount(of: plan.size, format: file.pixelFormat)
            + file.size.width * file.pixelFormat.bytesPerPixel * (rowsAtOnce + 2)
    }

    /// The boxes of all rows; colours are multiplied by alpha before they are averaged.
    func picture(from rows: PNGRows, isWhole: inout Bool) throws(ImageCodecError) -> PixelBuffer {
        let (format, channels) = (file.pixelFormat, file.pixelFormat.layout.channels)
        let rowBytes = file.size.width * channels
        let block = try Scratch(byteCount: rowBytes * rows.rowsAtOnce)
        let sums = try Scratch(byteCount: rowBytes * 2)
        let target = format.alpha == .straight ? format.premultiplied : format
        return try PixelBuffer.decoding(plan.size, format: target, extent: plan.extent) { pixels, stride in
            var made = pixels.assumingMemoryBound(to: UInt8.self)
            isWhole = Swift.stride(from: 0, to: file.size.height, by: rows.rowsAtOnce).allSatisfy { y in
                let count = min(rows.rowsAtOnce, file.size.height - y)
                guard rows.read(count, into: block.bytes, stride: rowBytes) else { return false }
                if format.alpha == .straight { premultiply(block.bytes, count: count * file.size.width) }
                for row in Swift.stride(from: 0, to: count, by: plan.boxHeight) {
                    kf_shrink_row(
                        KernelLevel.current.native, block.bytes + row * rowBytes, rowBytes,
                        Int32(file.size.width), Int32(min(plan.boxHeight, count - row)),
                        Int32(plan.boxWidth), Int32(channels), sums.samples(as: UInt16.self), made)
                    made += stride
                }
                return true
            }
        }
    }

    private func premultiply(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
        switch file.pixelFormat.layout {
        case .rgba: kf_premultiply_rgba8(KernelLevel.current.native, pixels, count, pixels)
        case .grayAlpha: kf_premultiply8(pixels, count, 2, pixels)
        case .gray: break
        }
    }
}
