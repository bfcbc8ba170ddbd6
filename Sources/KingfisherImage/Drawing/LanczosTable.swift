import CKernels
import Glibc

/// Which inputs make each output along one axis, and with what weights: Lanczos with three lobes,
/// sinc(x) sinc(x / 3), stretched when it shrinks so that it covers every input.
///
/// The window is the one of Turkowski, "Filters for Common Resampling Tasks" (1990). Edges are not extended:
/// the weights that fall outside are left out and the rest made to sum up to 1.
struct LanczosTable {
    /// The first input of each output.
    private(set) var first: [Int32] = []
    /// `taps` weights for each output.
    private(set) var weights: [Double] = []
    /// Inputs for each output.
    let taps: Int
    let count: Int

    /// Plans `target` outputs over `source`.
    ///
    /// `tapsInSteps` rounds `taps` up, with weights of zero, where the axis is long enough.
    init(source: SampledAxis, target: Int, tapsInSteps: Int = 1) {
        let step = source.extent / Double(target)
        let stretch = max(1, step)
        let reach = 3 * stretch
        let windows = (0..<target).map { output -> Range<Int> in
            let center = (Double(output) + 0.5) * step
            let lower = min(max(0, Int((center - reach + 0.5).rounded(.down))), source.cells - 1)
            let upper = min(source.cells, Int((center + reach + 0.5).rounded(.down)))
            return lower..<max(upper, lower + 1)
        }
        let widest = windows.reduce(1) { max($0, $1.count) }
        taps = min((widest + tapsInSteps - 1) / tapsInSteps * tapsInSteps, max(source.cells, widest))
        count = target
        // Every output has as many taps; near the end the window starts earlier, with weights of zero.
        first = windows.map { Int32(min($0.lowerBound, source.cells - taps)) }
        weights = [Double](repeating: 0, count: target * taps)
        for (output, window) in windows.enumerated() {
            let center = (Double(output) + 0.5) * step
            let start = output * taps - Int(first[output])
            var sum = 0.0
            for cell in window {
                let weight =
                    source.share(of: cell) * Self.lanczos3((source.center(of: cell) - center) / stretch)
                weights[start + cell] = weight
                sum += weight
            }
            for cell in window { weights[start + cell] /= sum }
        }
    }

    /// With s = sin(pi x / 3), sin(pi x) is 3 s - 4 s^3: one sine for both.
    private static func lanczos3(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < 3 else { return 0 }
        let third = .pi * x / 3
        let sine = sin(third)
        return sine * sine * (3 - 4 * sine * sine) / (3 * third * third)
    }
}

/// An axis cut into cells of one unit, the last of which may be narrower: an integer pre-shrink leaves one
/// such.
struct SampledAxis {
    let cells: Int
    /// The length in cells; more than `cells - 1`, at most `cells`.
    let extent: Double

    /// `pixels` averaged in boxes of `box`.
    init(pixels: Int, box: Int) {
        self.init(cells: pixels, extent: Double(pixels), box: box)
    }

    /// The cells of an axis averaged in boxes of `box`.
    init(cells: Int, extent: Double, box: Int) {
        self.cells = (cells + box - 1) / box
        self.extent = extent / Double(box)
    }

    /// How much of a whole cell the cell is.
    func share(of cell: Int) -> Double { min(1, extent - Double(cell)) }

    func center(of cell: Int) -> Double { Double(cell) + share(of: cell) / 2 }
}

extension LanczosTable {
    /// The weights in fixed point as `kf_taps` wants them: as many bits as samples and sums have room for.
    ///
    /// Rounding is made up for at each output's heaviest weight, so that flat areas stay flat.
    struct Fixed {
        let first: [Int32]
        let weights: [Int16]
        let taps: Int
        let stride: Int
        let shift: Int

        init(_ table: LanczosTable) {
            let heaviest = table.weights.reduce(0) { max($0, abs($1)) }
            shift = min(15, Int(log2(32_000 / max(heaviest, .leastNormalMagnitude)).rounded(.down)))
            let one = 1 << shift
            taps = table.taps
            stride = (taps + 3) & ~3
            first = table.first
            var weights = [Int16](repeating: 0, count: table.count * stride)
            for output in 0..<table.count {
                var (left, peak) = (one, 0)
                for tap in 0..<taps {
                    let weight = Int((table.weights[output * taps + tap] * Double(one)).rounded())
                    weights[output * stride + tap] = Int16(weight)
                    left -= weight
                    if weight > Int(weights[output * stride + peak]) { peak = tap }
                }
                weights[output * stride + peak] += Int16(left)
            }
            self.weights = weights
        }

        /// Lends the table to C.
        func withTaps(
            _ body: (UnsafePointer<kf_taps>) throws(ImageCodecError) -> Void
        ) throws(ImageCodecError) {
            try first.withUnsafeBufferPointer { first throws(ImageCodecError) in
                try weights.withUnsafeBufferPointer { weights throws(ImageCodecError) in
                    // A table has at least one output and one tap.
                    guard let first = first.baseAddress, let weights = weights.baseAddress else { return }
                    var taps = kf_taps(
                        first: first, weights: weights, count: Int32(self.first.count), taps: Int32(taps),
                        stride: Int32(stride), shift: Int32(shift))
                    try body(&taps)
                }
            }
        }
    }

    /// The weights as `kf_float_taps` wants them.
    func withFloatTaps(_ body: (UnsafePointer<kf_float_taps>) -> Void) {
        let weights = weights.map(Float.init)
        first.withUnsafeBufferPointer { first in
            weights.withUnsafeBufferPointer { weights in
                guard let first = first.baseAddress, let weights = weights.baseAddress else { return }
                var taps = kf_float_taps(
                    first: first, weights: weights, count: Int32(count), taps: Int32(self.taps))
                body(&taps)
            }
        }
    }
}
