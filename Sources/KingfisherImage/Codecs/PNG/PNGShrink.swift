import CKernels

/// Averages the rows of an image in boxes while they are decoded, so only a few full-size rows are in memory.
struct PNGShrink {
    let plan: ShrinkPlan
    private let file: PNGFileHeader

    /// Leaves twice the minimum, which is four times the target of a thumbnail; from there on the filter
    /// loses nothing (decision 013).
    private static let margin = 2
    /// The limit for the rows of a box in bytes, which are in memory together.
    private static let largestBox = 1 << 20

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

    /// Whole boxes of rows near 192 KB, for a row source without a preference.
    var rowsAtOnce: Int {
        plan.boxHeight
            * max((192 << 10) / (plan.boxHeight * file.size.width * file.pixelFormat.bytesPerPixel), 1)
    }

    func byteCount(rowsAtOnce: Int) -> Int {
        PixelBuffer.byteCount(of: plan.size, format: file.pixelFormat)
            + file.size.width * file.pixelFormat.bytesPerPixel * (rowsAtOnce + 2)
    }

    func image(
        from rows: some PNGRowSource, isWhole: inout Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        let format = file.pixelFormat
        let rowBytes = file.size.width * format.bytesPerPixel
        let block = try Scratch(byteCount: rowBytes * rows.rowsAtOnce)
        // The sum of a box's column needs twice the bytes of a sample.
        let sums = try Scratch(byteCount: rowBytes * 2)
        let target = format.alpha == .straight ? format.premultiplied : format
        return try PixelBuffer.decoding(plan.size, format: target, extent: plan.extent) {
            pixels, stride throws(ImageCodecError) in
            var made = pixels
            for y in Swift.stride(from: 0, to: file.size.height, by: rows.rowsAtOnce) {
                let count = min(rows.rowsAtOnce, file.size.height - y)
                isWhole = try rows.read(count, into: block.bytes, stride: rowBytes)
                guard isWhole else { return }
                if format.alpha == .straight { premultiply(block, count: count * file.size.width) }
                for row in Swift.stride(from: 0, to: count, by: plan.boxHeight) {
                    average(block.bytes + row * rowBytes, rows: min(plan.boxHeight, count - row), sums, made)
                    made += stride
                }
            }
        }
    }

    private func average(
        _ source: UnsafeMutablePointer<UInt8>, rows: Int, _ sums: borrowing Scratch,
        _ target: UnsafeMutableRawPointer
    ) {
        let (width, channels) = (file.size.width, file.pixelFormat.layout.channels)
        let rowBytes = width * file.pixelFormat.bytesPerPixel
        switch file.pixelFormat.depth {
        case .eight:
            kf_shrink_row(
                KernelLevel.current.native, source, rowBytes, Int32(width), Int32(rows), Int32(plan.boxWidth),
                Int32(channels), sums.samples(as: UInt16.self), target.assumingMemoryBound(to: UInt8.self))
        case .sixteen:
            kf_shrink_row16(
                UnsafeRawPointer(source).assumingMemoryBound(to: UInt16.self), rowBytes, Int32(width),
                Int32(rows), Int32(plan.boxWidth), Int32(channels), sums.samples(as: UInt32.self),
                target.assumingMemoryBound(to: UInt16.self))
        }
    }

    private func premultiply(_ block: borrowing Scratch, count: Int) {
        let pixels = block.bytes
        switch (file.pixelFormat.layout, file.pixelFormat.depth) {
        case (.rgba, .eight): kf_premultiply_rgba8(KernelLevel.current.native, pixels, count, pixels)
        case (.grayAlpha, .eight): kf_premultiply8(pixels, count, 2, pixels)
        case (.rgba, .sixteen), (.grayAlpha, .sixteen):
            let samples = block.samples(as: UInt16.self)
            kf_premultiply16(samples, count, Int32(file.pixelFormat.layout.channels), samples)
        case (.gray, _): break
        }
    }
}
