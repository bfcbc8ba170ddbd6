import CKernels

/// The inputs and weights of each output along one axis: Lanczos with three lobes, sinc(x) sinc(x / 3),
/// stretched for downscaling so that it covers every input.
///
/// The window comes from Turkowski, "Filters for Common Resampling Tasks" (1990). Edges are not extended:
/// weights outside the image are dropped, and the others are normalised to a sum of 1.
struct LanczosTable {
    private(set) var first: [Int32] = []
    private(set) var weights: [Double] = []
    let taps: Int
    let count: Int

    init(source: SampledAxis, target: Int) {
        self.init(source: source, from: 0, length: source.extent, target: target)
    }

    /// For the part of the axis that begins at `start`.
    init(source: SampledAxis, from start: Double, length: Double, target: Int) {
        let step = length / Double(target)
        let stretch = max(1, step)
        let reach = 3 * stretch
        let windows = (0..<target).map { output -> Range<Int> in
            let center = start + (Double(output) + 0.5) * step
            let lower = min(max(0, Int((center - reach + 0.5).rounded(.down))), source.cells - 1)
            let upper = min(source.cells, Int((center + reach + 0.5).rounded(.down)))
            return lower..<max(upper, lower + 1)
        }
        taps = windows.reduce(1) { max($0, $1.count) }
        count = target
        // Every output has the same number of taps; near the end the window starts earlier, with zero
        // weights.
        first = windows.map { Int32(min($0.lowerBound, source.cells - taps)) }
        weights = [Double](repeating: 0, count: target * taps)
        for (output, window) in windows.enumerated() {
            let center = start + (Double(output) + 0.5) * step
            let place = output * taps - Int(first[output])
            var sum = 0.0
            for cell in window {
                let weight =
                    source.share(of: cell) * Self.lanczos3((source.center(of: cell) - center) / stretch)
                weights[place + cell] = weight
                sum += weight
            }
            for cell in window { weights[place + cell] /= sum }
        }
    }

    /// With s = sin(pi x / 3), sin(pi x) is 3 s - 4 s^3: one sine serves both.
    private static func lanczos3(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < 3 else { return 0 }
        let third = .pi * x / 3
        let sine = sine(abs(third))
        return sine * sine * (3 - 4 * sine * sine) / (3 * third * third)
    }

    /// The sine of 0 to pi, by its Taylor series up to the 19th power, whose error is at most 3e-16. The C
    /// library's takes longer, and its tables 240 KB of memory.
    private static func sine(_ angle: Double) -> Double {
        let x = min(angle, .pi - angle)
        let square = x * x
        var sum = -1.0 / 121_645_100_408_832_000
        sum = sum * square + 1.0 / 355_687_428_096_000
        sum = sum * square - 1.0 / 1_307_674_368_000
        sum = sum * square + 1.0 / 6_227_020_800
        sum = sum * square - 1.0 / 39_916_800
        sum = sum * square + 1.0 / 362_880
        sum = sum * square - 1.0 / 5_040
        sum = sum * square + 1.0 / 120
        sum = sum * square - 1.0 / 6
        return x + x * square * sum
    }
}

/// An axis divided into cells of one unit. The last cell may be narrower, for example after an integer
/// pre-shrink.
struct SampledAxis {
    let cells: Int
    /// The length in cells; more than `cells - 1`, at most `cells`.
    let extent: Double

    init(pixels: Int, box: Int) {
        self.init(cells: pixels, extent: Double(pixels), box: box)
    }

    init(cells: Int, extent: Double, box: Int) {
        self.cells = (cells + box - 1) / box
        self.extent = extent / Double(box)
    }

    func share(of cell: Int) -> Double { min(1, extent - Double(cell)) }

    func center(of cell: Int) -> Double { Double(cell) + share(of: cell) / 2 }
}

extension LanczosTable {
    /// The inputs that any `outputs` outputs in succession need at most, with those that `Fixed` adds.
    static func window(source: SampledAxis, target: Int, outputs: Int) -> Int {
        let step = source.extent / Double(target)
        // Rounding of the window, of the distance between windows, to an even first input and to pairs.
        return Int((6 * max(1, step) + Double(outputs - 1) * step).rounded(.up)) + 4
    }

    /// The weights in fixed point for `kf_taps`, with as many bits as samples and sums allow.
    ///
    /// A first input that is odd becomes the even one before, with a zero weight.
    /// The rounding error of each output is added to its largest weight, so that flat areas stay flat.
    struct Fixed {
        let first: [Int32]
        let weights: [Int16]
        let taps: Int
        let stride: Int
        let shift: Int

        init(_ table: LanczosTable) {
            let heaviest = table.weights.reduce(0) { max($0, abs($1)) }
            shift = min(15, Int((32_000 / max(heaviest, .leastNormalMagnitude)).exponent))
            let one = 1 << shift
            let hasOdd = table.first.contains { $0 % 2 != 0 }
            taps = table.taps + (hasOdd ? 1 : 0)
            stride = (taps + 3) & ~3
            first = table.first.map { $0 & ~1 }
            var weights = [Int16](repeating: 0, count: table.count * stride)
            for output in 0..<table.count {
                let start = output * stride + Int(table.first[output] - first[output])
                var (left, peak) = (one, start)
                for tap in 0..<table.taps {
                    let weight = Int((table.weights[output * table.taps + tap] * Double(one)).rounded())
                    weights[start + tap] = Int16(weight)
                    left -= weight
                    if weight > Int(weights[peak]) { peak = start + tap }
                }
                weights[peak] += Int16(left)
            }
            self.weights = weights
        }

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
