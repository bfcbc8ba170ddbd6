import CKernels
import Glibc

/// The rows of an image resampled along x, with the latest rows cached for resampling along y.
struct RowsAlongX<Source: RowSource>: ~Copyable {
    let samples: Int

    private let source: Source
    private let columns: UnsafePointer<kf_taps>
    private let level = KernelLevel.current.native
    private let ring: Scratch
    private let capacity: Int
    private let padded: Scratch
    private let paddedStride: Int
    private let needsPadding: Bool
    private var made = 0

    private static var step: Int { 4 }

    /// `window` is the number of rows that one call of `pointers` may request. `columns` must outlive this
    /// value.
    init(of source: Source, columns: UnsafePointer<kf_taps>, window: Int) throws(ImageCodecError) {
        let channels = source.format.layout.channels
        let samples = Int(columns.pointee.count) * channels
        // Rows come in groups of four, so up to three more than requested.
        let capacity = (window + Self.step - 1 + 3) & ~3
        let ring = try Scratch(byteCount: capacity * samples * MemoryLayout<Int16>.size)
        let touched = Int(columns.pointee.stride)
        let needsPadding = touched > source.size.width
        let padded = try Scratch(byteCount: needsPadding ? touched * channels * Self.step : 0)
        self.source = source
        self.columns = columns
        self.samples = samples
        self.capacity = capacity
        self.ring = ring
        self.needsPadding = needsPadding
        self.padded = padded
        paddedStride = touched * channels
    }

    mutating func make(upTo end: Int) {
        while made < end {
            let count = min(Self.step, source.size.height - made)
            let (input, stride) = padding(source.rows(made..<made + count), count: count)
            kf_resize_columns(
                level, input, stride, Int32(count), Int32(source.format.layout.channels), columns,
                ring.samples(as: Int16.self) + made % capacity * samples, samples)
            made += count
        }
    }

    private func padding(_ rows: UnsafePointer<UInt8>, count: Int) -> (UnsafePointer<UInt8>, Int) {
        guard needsPadding else { return (rows, source.bytesPerRow) }
        let copy = padded.bytes
        for row in 0..<count {
            memcpy(
                copy + row * paddedStride, rows + row * source.bytesPerRow,
                source.size.width * source.format.layout.channels)
        }
        return (UnsafePointer(copy), paddedStride)
    }

    /// Pointers to the rows of `window`: at most as many as the initializer was given, ending with one of the
    /// rows made last.
    func pointers(_ window: Range<Int>) -> [UnsafePointer<Int16>] {
        let base = UnsafePointer(ring.samples(as: Int16.self))
        return window.map { base + $0 % capacity * samples }
    }
}
