import CKernels

/// A sample of 8 or 16 bits, with its kernels for rows of RGBA, opaque or premultiplied.
///
/// Coverage, opacity and colours are samples too.
protocol KernelSample: FixedWidthInteger & UnsignedInteger {
    typealias Source = UnsafePointer<Self>
    typealias Target = UnsafeMutablePointer<Self>
    /// Makes a number of pixels.
    typealias Loop = (Source, Int, Target) -> Void

    static func cover(_ row: Target, _ coverage: Source, _ count: Int)
    static func paint(_ row: Target, _ coverage: Source, _ count: Int, _ color: [Self])
    static func underlay(_ row: Target, _ count: Int, _ color: [Self])
    static func draw(_ mark: Source, _ count: Int, _ opacity: Self, _ row: Target)
    static func overlay(_ color: [Self]) -> Loop
}

extension UInt8: KernelSample {
    static func cover(_ row: Target, _ coverage: Source, _ count: Int) { kf_cover(row, coverage, count) }

    static func paint(_ row: Target, _ coverage: Source, _ count: Int, _ color: [Self]) {
        kf_paint(KernelLevel.current.native, row, coverage, count, color)
    }

    static func underlay(_ row: Target, _ count: Int, _ color: [Self]) {
        kf_underlay(KernelLevel.current.native, row, count, color)
    }

    static func draw(_ mark: Source, _ count: Int, _ opacity: Self, _ row: Target) {
        kf_draw(KernelLevel.current.native, mark, count, opacity, row)
    }

    static func overlay(_ color: [Self]) -> Loop {
        let level = KernelLevel.current.native
        return { kf_overlay(level, $0, $1, color, $2) }
    }
}

extension UInt16: KernelSample {
    static func cover(_ row: Target, _ coverage: Source, _ count: Int) { kf_cover16(row, coverage, count) }

    static func paint(_ row: Target, _ coverage: Source, _ count: Int, _ color: [Self]) {
        kf_paint16(row, coverage, count, color)
    }

    static func underlay(_ row: Target, _ count: Int, _ color: [Self]) { kf_underlay16(row, count, color) }

    static func draw(_ mark: Source, _ count: Int, _ opacity: Self, _ row: Target) {
        kf_draw16(mark, count, opacity, row)
    }

    static func overlay(_ color: [Self]) -> Loop { { kf_overlay16($0, $1, color, $2) } }
}

extension KernelSample {
    /// The sample of a part of the whole, clamped to 0...1; NaN counts as 0.
    init(share: Double) {
        // By `Int`, because the generic conversion of floating point is slow.
        let white = Double(Int(Self.max))
        self.init(truncatingIfNeeded: Int((Swift.min(Swift.max(0, share), 1) * white).rounded()))
    }
}

extension SIMD4 {
    var samples: [Scalar] { [x, y, z, w] }
}
