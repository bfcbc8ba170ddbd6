import CKernels

/// Resamples 8-bit rows along y, then along x, a few output rows at a time.
///
/// Along y first, because rows that several outputs need are expanded to 16 bits once for all of them.
struct LanczosFilter<Source: RowSource>: ~Copyable {
    private let source: Source
    private let rows: UnsafePointer<kf_taps>
    private let columns: UnsafePointer<kf_taps>
    private let channels: Int
    private let samples: Int
    private let expanded: Scratch
    /// Rows that have been resampled along y.
    private let filteredAlongY: Scratch
    private let filteredStride: Int

    private static var group: Int { Int(KF_RESIZE_GROUP) }

    /// `rows` and `columns` must outlive this value.
    init(
        _ source: Source, rows: UnsafePointer<kf_taps>, columns: UnsafePointer<kf_taps>
    ) throws(ImageCodecError) {
        let channels = source.format.layout.channels
        let samples = source.size.width * channels
        let window = stride(from: 0, to: Int(rows.pointee.count), by: Self.group).reduce(0) {
            max($0, rows.pointee.window(of: $1, Self.group).count)
        }
        // The weights of the last columns may begin before the last pixel and end after it.
        let filteredStride = kf_resize_row_samples(samples + Int(columns.pointee.stride) * channels)
        let expanded = try Scratch(byteCount: window * Int(KF_RESIZE_BLOCK) * MemoryLayout<Int16>.size)
        let filteredAlongY = try Scratch(byteCount: Self.group * filteredStride * MemoryLayout<Int16>.size)
        self.source = source
        self.rows = rows
        self.columns = columns
        self.channels = channels
        self.samples = samples
        self.expanded = expanded
        self.filteredAlongY = filteredAlongY
        self.filteredStride = filteredStride
    }

    func draw(to target: UnsafeMutablePointer<UInt8>, stride targetStride: Int) {
        let level = KernelLevel.current.native
        let filteredAlongY = filteredAlongY.samples(as: Int16.self)
        let width = Int(columns.pointee.count)
        for row in stride(from: 0, to: Int(rows.pointee.count), by: Self.group) {
            let outputs = min(Self.group, Int(rows.pointee.count) - row)
            read(rows.pointee.window(of: row, outputs)).withUnsafeBufferPointer { inputs in
                guard let start = inputs.baseAddress else { return }
                var window = kf_row_window(
                    rows: start, count: Int32(inputs.count), channels: Int32(channels), samples: samples)
                kf_resize_rows(
                    level, &window, rows, Int32(row), Int32(outputs), expanded.samples(as: Int16.self),
                    filteredAlongY,
                    filteredStride)
            }
            let out = target + row * targetStride
            kf_resize_columns(
                level, filteredAlongY, filteredStride, Int32(outputs), Int32(channels), columns, out,
                targetStride)
            guard source.format.alpha == .premultiplied else { continue }
            for output in 0..<outputs {
                kf_clamp_to_alpha8(level, out + output * targetStride, width, Int32(channels))
            }
        }
    }

    /// The rows of a window. The last row is repeated beyond the image, where weights are zero.
    private func read(_ window: Range<Int>) -> [UnsafePointer<UInt8>] {
        var inputs = source.rows(window.clamped(to: 0..<source.size.height))
        if let last = inputs.last { inputs += repeatElement(last, count: window.count - inputs.count) }
        return inputs
    }
}

extension kf_taps {
    /// The inputs of `outputs` outputs, or those that are left, from `output` on, in pairs.
    fileprivate func window(of output: Int, _ outputs: Int) -> Range<Int> {
        let last = min(output + outputs, Int(count)) - 1
        let end = Int(first[last]) + Int(taps)
        return Int(first[output])..<end + (end & 1)
    }
}
