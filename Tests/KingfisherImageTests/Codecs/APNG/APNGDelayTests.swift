import Testing

@testable import KingfisherImage

@Suite struct APNGDelayTests {
    @Test(
        arguments: [
            (0.07, 70, 1000), (0.1, 100, 1000), (65.535, 65_535, 1000), (0.001, 1, 1000), (1.0 / 30, 1, 30),
            (1001.0 / 30_000, 1001, 30_000), (0.0335, 67, 2000), (100, 100, 1), (100.5, 201, 2),
            (65_535, 65_535, 1),
            (1e9, 65_535, 1), (.infinity, 65_535, 1), (0, 0, 1000), (-1, 0, 1000), (.nan, 0, 1000),
            (1e-9, 0, 1),
        ] as [(Double, UInt16, UInt16)])
    func secondsBecomeFractions(seconds: Double, numerator: UInt16, denominator: UInt16) {
        let delay = APNGDelay(seconds: seconds)
        #expect((delay.numerator, delay.denominator) == (numerator, denominator))
    }

    @Test(arguments: [0.0123457, 0.333, 1.618034, 2.718282, 12.34567, 70.7071, 314.1593, 8191.77])
    func theFractionIsTheNearestOne(seconds: Double) {
        let delay = APNGDelay(seconds: seconds)
        let error = abs(Double(delay.numerator) / Double(delay.denominator) - seconds)
        let least = (1...65_535).lazy.map { Double($0) }.compactMap { denominator -> Double? in
            let numerator = (seconds * denominator).rounded()
            return numerator <= 65_535 ? abs(numerator / denominator - seconds) : nil
        }
        #expect(error <= (least.min() ?? 0) + 1e-12)
    }
}

@Suite struct ChangedAreaTests {
    @Test func theAreaEnclosesEveryChange() throws {
        let (width, height) = (5, 4)
        let blank = Array(repeating: 0, count: width * height * 4)
        let before = try Samples.buffer(width, .rgba8Straight, blank)
        #expect(ChangedArea(from: before, to: try Samples.buffer(width, .rgba8Straight, blank)) == nil)
        for one in 0..<width * height {
            for other in one..<width * height {
                var samples = blank
                // Different channels, because a change may affect only one.
                samples[one * 4 + one % 4] = 1
                samples[other * 4 + other % 4] = 1
                let after = try Samples.buffer(width, .rgba8Straight, samples)
                let (left, right) = (min(one % width, other % width), max(one % width, other % width))
                var expected = ChangedArea(
                    PixelSize(width: right - left + 1, height: other / width - one / width + 1))
                (expected.left, expected.top) = (left, one / width)
                #expect(ChangedArea(from: before, to: after) == expected)
            }
        }
    }
}
