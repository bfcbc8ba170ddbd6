import CKernels

extension PixelBuffer {
    /// The image resampled to `size` by Lanczos with three lobes; itself if that is its size.
    ///
    /// Layout and depth are kept. Straight alpha becomes premultiplied: averaging colours without their alpha
    /// would bleed the colour of invisible pixels. Throws `tooLarge` for an empty size and above
    /// `ImageLimits`.
    public func resized(to size: PixelSize) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.current.check(size, format: format)
        if size == self.size { return self }
        // 8-bit samples are averaged in boxes before the filter, so only the side of the result is limited.
        let sides = [size.width, size.height] + (format.depth == .sixteen ? [width, height] : [])
        guard sides.allSatisfy({ $0 <= ImageLimits.maximumFilteredSide }) else {
            throw .tooLarge(width: size.width, height: size.height)
        }
        switch format.depth {
        case .eight where format.alpha == .straight:
            return try converted(to: format.premultiplied).resized(to: size)
        case .eight:
            let plan = ShrinkPlan(from: self.size, extent: extent, to: size, margin: Self.filterMargin)
            // Weights of a filter over tens of thousands of samples would all round to zero.
            if plan.isCapped { return try shrunk(by: plan).resized(to: size) }
            return try Self.resampled(shrunk(by: plan), to: size)
        case .sixteen:
            return try resampled16(to: size)
        }
    }

    /// Whether `resized` has nothing to do but filter 8-bit samples of `source` that are opaque.
    static func isFilteredInOneStep(from source: PixelSize, extent: PixelExtent, to size: PixelSize) -> Bool {
        guard size != source, !size.isEmpty, max(size.width, size.height) <= ImageLimits.maximumFilteredSide
        else { return false }
        let plan = ShrinkPlan(from: source, extent: extent, to: size, margin: filterMargin)
        return max(plan.boxWidth, plan.boxHeight) == 1
    }

    /// The rows that `resampled` reads at a time at most.
    static func filterWindow(of source: PixelSize, extent: PixelExtent, to size: PixelSize) -> Int {
        let down = SampledAxis(cells: source.height, extent: extent.height, box: 1)
        return LanczosTable.window(source: down, target: size.height, outputs: Int(KF_RESIZE_GROUP))
    }

    /// 8-bit rows, not of straight alpha, resampled to `size` by Lanczos with three lobes; all of them, or a
    /// part, which also depends on the pixels around it.
    static func resampled(
        _ source: some RowSource, to size: PixelSize, from part: PixelPart? = nil
    ) throws(ImageCodecError) -> PixelBuffer {
        let across = SampledAxis(cells: source.size.width, extent: source.extent.width, box: 1)
        let down = SampledAxis(cells: source.size.height, extent: source.extent.height, box: 1)
        let columns = LanczosTable.Fixed(
            LanczosTable(
                source: across, from: part?.left ?? 0, length: part?.width ?? across.extent,
                target: size.width))
        let rows = LanczosTable.Fixed(
            LanczosTable(
                source: down, from: part?.top ?? 0, length: part?.height ?? down.extent, target: size.height))
        return try PixelBuffer.decoding(size, format: source.format) {
            target, targetStride throws(ImageCodecError) in
            try rows.withTaps { rows throws(ImageCodecError) in
                try columns.withTaps { columns throws(ImageCodecError) in
                    try LanczosFilter(source, rows: rows, columns: columns).draw(
                        to: target.assumingMemoryBound(to: UInt8.self), stride: targetStride)
                }
            }
        }
    }

    /// Boxes first shrink a big image to this many times the target: three times as fast at 12 megapixels,
    /// with 58 dB relative to the filter alone. Twice the target would give 49 dB.
    private static var filterMargin: Int { 4 }

    /// Uses floating point: 16-bit images are for archives and editing, where speed matters less.
    ///
    /// Straight alpha is premultiplied row by row, because a premultiplied copy could be as large as
    /// `ImageLimits.maximumFrameBytes` allows the image to be.
    private func resampled16(to size: PixelSize) throws(ImageCodecError) -> PixelBuffer {
        let across = SampledAxis(cells: width, extent: extent.width, box: 1)
        let down = SampledAxis(cells: height, extent: extent.height, box: 1)
        let columns = LanczosTable(source: across, target: size.width)
        let rows = LanczosTable(source: down, target: size.height)
        let channels = Int32(format.layout.channels)
        let sums = try Scratch(byteCount: width * format.layout.channels * MemoryLayout<Float>.size)
        let isStraight = format.alpha == .straight
        let row = try Scratch(byteCount: isStraight ? width * format.bytesPerPixel : 0)
        let premultiplied = isStraight ? row.samples(as: UInt16.self) : nil
        let made = isStraight ? format.premultiplied : format
        let source = unsafeBase.assumingMemoryBound(to: UInt16.self)
        return try PixelBuffer.decoding(size, format: made) { target, targetStride in
            rows.withFloatTaps { rows in
                columns.withFloatTaps { columns in
                    for y in 0..<size.height {
                        let out = (target + y * targetStride).assumingMemoryBound(to: UInt16.self)
                        kf_resize_row16(
                            source, bytesPerRow, Int32(width), channels, rows, Int32(y), columns,
                            premultiplied, sums.samples(as: Float.self), out)
                        if made.alpha == .premultiplied { kf_clamp_to_alpha16(out, size.width, channels) }
                    }
                }
            }
        }
    }
}
