import CKernels

extension PixelBuffer {
    /// The picture resampled to `size` by Lanczos with three lobes; itself when that is its size.
    ///
    /// Layout and depth are kept. Straight alpha becomes premultiplied, because averaging colours that are
    /// not weighted by their opacity bleeds the colour of invisible pixels. Throws `tooLarge` for an empty
    /// size and above `ImageLimits`.
    package func resized(to size: PixelSize) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.check(size, format: format)
        if size == self.size { return self }
        // Boxes go before the filter where samples have 8 bits, so that only the result's side counts.
        let sides = [size.width, size.height] + (format.depth == .sixteen ? [width, height] : [])
        guard sides.allSatisfy({ $0 <= ImageLimits.maximumFilteredSide }) else {
            throw .tooLarge(width: size.width, height: size.height)
        }
        guard format.alpha != .straight else {
            return try converted(to: format.premultiplied).resized(to: size)
        }
        switch format.depth {
        case .eight:
            // Boxes take a big picture down to four times the target first: three times as fast at 12
            // megapixels, and 58 dB from the filter alone. To twice the target it would be 49 dB.
            let plan = ShrinkPlan(from: self.size, to: size, margin: 4)
            // Weights of a filter over tens of thousands of samples would all round to zero.
            if plan.isCapped { return try shrunk(by: plan).resized(to: size) }
            return try shrunk(by: plan).resampled8(to: size, across: plan.across, down: plan.down)
        case .sixteen:
            return try resampled16(to: size)
        }
    }

    /// Rows first, four output rows at a time, then columns of those four: nothing of the size of the picture
    /// is held between.
    private func resampled8(
        to size: PixelSize, across: SampledAxis, down: SampledAxis
    ) throws(ImageCodecError) -> PixelBuffer {
        let columns = LanczosTable.Fixed(LanczosTable(source: across, target: size.width))
        let rows = LanczosTable.Fixed(LanczosTable(source: down, target: size.height))
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            rows.withTaps { rows in
                columns.withTaps { columns in
                    resample(rows, columns, into: target.assumingMemoryBound(to: UInt8.self), targetStride)
                }
            }
            guard format.alpha == .premultiplied else { return }
            for row in 0..<size.height {
                kf_clamp_to_alpha8(
                    (target + row * targetStride).assumingMemoryBound(to: UInt8.self), size.width,
                    Int32(format.layout.channels))
            }
        }
    }

    private func resample(
        _ rows: UnsafePointer<kf_taps>, _ columns: UnsafePointer<kf_taps>,
        into target: UnsafeMutablePointer<UInt8>, _ targetStride: Int
    ) {
        let (level, channels) = (KernelLevel.current.native, format.layout.channels)
        let source = unsafeBase.assumingMemoryBound(to: UInt8.self)
        let packed = width * channels
        // Columns are read in whole steps of four pixels, so up to three behind the end.
        let stripStride = packed + 16
        let strip = Scratch(byteCount: stripStride * 4 * MemoryLayout<Int16>.size)
        let samples = strip.samples(as: Int16.self)
        let height = Int(rows.pointee.count)
        for top in stride(from: 0, to: height, by: 4) {
            let count = min(4, height - top)
            // In blocks, so that the inputs that four rows share are read from the cache.
            for left in stride(from: 0, to: packed, by: 4096) {
                for row in 0..<count {
                    kf_resize_rows(
                        level, source + left, bytesPerRow, min(4096, packed - left), rows, Int32(top + row),
                        samples + row * stripStride + left)
                }
            }
            kf_resize_columns(
                level, samples, stripStride, Int32(count), Int32(channels), columns,
                target + top * targetStride, targetStride)
        }
    }

    /// In floating point: sixteen bits are for archives and editing, where speed is not asked for.
    private func resampled16(to size: PixelSize) throws(ImageCodecError) -> PixelBuffer {
        let columns = LanczosTable(source: SampledAxis(pixels: width, box: 1), target: size.width)
        let rows = LanczosTable(source: SampledAxis(pixels: height, box: 1), target: size.height)
        let channels = Int32(format.layout.channels)
        let sums = Scratch(byteCount: width * format.layout.channels * MemoryLayout<Float>.size)
        let source = unsafeBase.assumingMemoryBound(to: UInt16.self)
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            rows.withFloatTaps { rows in
                columns.withFloatTaps { columns in
                    for row in 0..<size.height {
                        let out = (target + row * targetStride).assumingMemoryBound(to: UInt16.self)
                        kf_resize_row16(
                            source, bytesPerRow, Int32(width), channels, rows, Int32(row), columns,
                            sums.samples(as: Float.self), out)
                        if format.alpha == .premultiplied { kf_clamp_to_alpha16(out, size.width, channels) }
                    }
                }
            }
        }
    }
}
