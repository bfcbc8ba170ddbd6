import CKernels
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Every instruction level filters to the same bytes, for every width and at odd addresses.
@Suite struct FilterKernelTests {
    @Test(arguments: KernelLevelTests.others) func everyLevelMatchesTheScalarLoop(level: KernelLevel) throws {
        var generator = SeededGenerator(seed: 17)
        for width in 1...70 {
            // Runs of opaque, transparent and other pixels.
            let alphas = (0..<width).map { _ in [255, 255, 0, 90].randomElement(using: &generator) ?? 0 }
            let source = alphas.flatMap { alpha in
                (0..<3).map { _ in Int.random(in: 0...alpha, using: &generator) } + [alpha]
            }
            func number() -> Double { .random(in: -3...3, using: &generator) }
            let filter = LinearFilter(
                red: SIMD3(number(), number(), number()), green: SIMD3(number(), number(), number()),
                blue: SIMD3(number(), number(), number()), bias: SIMD3(number(), number(), number()),
                veil: SIMD3(number(), number(), number()), veilAlpha: .random(in: 0...1, using: &generator))
            let bytes = source.map(UInt8.init)
            try filter.withNative { filter in
                let plain = KernelRow.made(of: bytes) { kf_filter_linear(KF_SCALAR, $0, $1, filter, $2) }
                let fast = KernelRow.made(of: bytes) { kf_filter_linear(level.native, $0, $1, filter, $2) }
                #expect(plain == fast, "\(width) pixels")
            }
        }
    }
}
