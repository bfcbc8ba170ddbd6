import CKernels

/// Averages the rows of an image in boxes while they are decoded, so only a few full-size rows are in memory.
struct RowShrink {
    let plan: ShrinkPlan
    let full: PixelSize
    let format: PixelFormat

    /// Leaves twice the minimum, which is four times the target of a thumbnail; from there on the filter
    /// loses nothing (decision 013).
    private static let margin = 2
    /// The limit for the rows of a box in bytes, which are in memory together.
    private static let largestBox = 1 << 20

    /// Nil if the rows are too long, or the image is too small for boxes.
    init?(_ size: PixelSize, format: PixelFormat, minimumSize: PixelSize) {
        let (rowBytes, overflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard minimumSize.width > 0, minimumSize.height > 0, !size.isEmpty, size.height <= Int32.max,
            !overflow, rowBytes <= Self.largestBox
        else { return nil }
        let minimum = PixelSize(
            width: min(minimumSize.width, size.width), height: min(minimumSize.height, size.height))
        let wanted = ShrinkPlan(from: size, to: minimum, margin: Self.margin)
        plan = ShrinkPlan(
            of: size, boxWidth: wanted.boxWidth,
            boxHeight: min(wanted.boxHeight, Self.largestBox / rowBytes))
        guard plan.boxWidth > 1 || plan.boxHeight > 1 else { return nil }
        full = size
        self.format = format
    }

    init(_ size: PixelSize, format: PixelFormat, box: Int) {
        plan = ShrinkPlan(of: size, boxWidth: box, boxHeight: box)
        (full, self.format) = (size, format)
    }

    /// Whole boxes of rows near 192 KB, for a row source without a preference.
    var rowsAtOnce: Int {
        Self.rowsAtOnce(full, format, inMultiplesOf: plan.boxHeight)
    }

    /// Rows near 192 KB, which fit a fast cache.
    static func rowsAtOnce(_ size: PixelSize, _ format: PixelFormat, inMultiplesOf rows: Int = 1) -> Int {
        rows * max((192 << 10) / (rows * size.width * format.bytesPerPixel), 1)
    }

    func byteCount(rowsAtOnce: Int) -> Int {
        PixelBuffer.byteCount(of: plan.size, format: format)
            + full.width * format.bytesPerPixel * (rowsAtOnce + 2)
    }

    func image(
        from rows: some RowsInOrder, isWhole: inout Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        let rowBytes = full.width * format.bytesPerPixel
        let block = try Scratch(byteCount: rowBytes * rows.rowsAtOnce)
        // The sum of a box's column needs twice the bytes of a sample.
        let sums = try Scratch(byteCount: rowBytes * 2)
        let target = format.alpha == .straight ? format.premultiplied : format
        return try PixelBuffer.decoding(plan.size, format: target, extent: plan.extent) {
            pixels, stride throws(ImageCodecError) in
            var made = pixels
            for y in Swift.stride(from: 0, to: full.height, by: rows.rowsAtOnce) {
                let count = min(rows.rowsAtOnce, full.height - y)
                isWhole = try rows.read(count, into: block.bytes, stride: rowBytes)
                guard isWhole else { return }
                if format.alpha == .straight { premultiply(block.bytes, count: count * full.width) }
                for row in Swift.stride(from: 0, to: count, by: plan.boxHeight) {
                    average(block.bytes + row * rowBytes, rows: min(plan.boxHeight, count - row), sums, made)
                    made += stride
                }
            }
        }
    }

    func average(
        _ source: UnsafeMutablePointer<UInt8>, rows: Int, _ sums: borrowing Scratch,
        _ target: UnsafeMutableRawPointer
    ) {
        let (width, channels) = (full.width, format.layout.channels)
        let rowBytes = width * format.bytesPerPixel
        switch format.depth {
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

    func premultiply(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
        switch (format.layout, format.depth) {
        case (.rgba, .eight): kf_premultiply_rgba8(KernelLevel.current.native, pixels, count, pixels)
        case (.grayAlpha, .eight): kf_premultiply8(pixels, count, 2, pixels)
        case (.rgba, .sixteen), (.grayAlpha, .sixteen):
            let samples = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt16.self)
            kf_premultiply16(samples, count, Int32(format.layout.channels), samples)
        case (.gray, _): break
        }
    }
}

extension RowShrink {
    init?(_ file: PNGFileHeader, minimumSize: PixelSize) {
        self.init(file.size, format: file.pixelFormat, minimumSize: minimumSize)
    }
}
