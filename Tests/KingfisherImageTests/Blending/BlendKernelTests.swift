import CKernels
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Every instruction level gives the same bytes as the scalar loop, for every width and at odd addresses, and
/// writes nothing past the last pixel.
@Suite struct BlendKernelTests {
    private func noise(_ width: Int, using generator: inout SeededGenerator) throws -> [UInt8] {
        try PixelBuffer.noise(width, 1, .rgba8Premultiplied, using: &generator).packed.map(UInt8.init)
    }

    @Test(arguments: KernelLevelTests.others) func hingeModesMatchTheScalarLoop(level: KernelLevel) throws {
        var generator = SeededGenerator(seed: 11)
        for width in 1...70 {
            let source = try noise(width, using: &generator)
            let canvas = try noise(1, using: &generator)
            let backdrop = SIMD4(canvas)
            for mode in BlendMode.allCases {
                let opacity = Double.random(in: 0...1, using: &generator)
                guard let blend = HingeBlend(mode, over: backdrop, opacity: opacity) else { continue }
                var native = blend.native
                let plain = KernelRow.made(of: source) { kf_blend_hinge(KF_SCALAR, $0, $1, &native, $2) }
                let fast = KernelRow.made(of: source) { kf_blend_hinge(level.native, $0, $1, &native, $2) }
                #expect(plain == fast, "\(mode), \(width) pixels on \(backdrop) at \(opacity)")
            }
        }
    }

    /// No blend mode produces sums this far outside 0...255.
    @Test(arguments: KernelLevelTests.others) func extremeSumsAreClampedEquallyAtEveryLevel(
        level: KernelLevel
    ) throws {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let source = try noise(33, using: &generator)
            func factors() -> (Int16, Int16, Int16, Int16) {
                func next() -> Int16 { .random(in: .min ... .max, using: &generator) }
                return (next(), next(), next(), next())
            }
            func sums() -> (Int32, Int32, Int32, Int32) {
                func next() -> Int32 { .random(in: -4_000_000...4_000_000, using: &generator) }
                return (next(), next(), next(), next())
            }
            var native = kf_hinge_blend(
                slope: factors(), lift: factors(), offset: sums(), hinge_slope: factors(),
                hinge_lift: factors(), hinge_offset: sums(), hinge_sign: (0, -1, 0, -1), has_hinge: true)
            let plain = KernelRow.made(of: source) { kf_blend_hinge(KF_SCALAR, $0, $1, &native, $2) }
            #expect(KernelRow.made(of: source) { kf_blend_hinge(level.native, $0, $1, &native, $2) } == plain)
        }
    }

    @Test(arguments: KernelLevelTests.others) func curvedModesMatchTheScalarLoop(level: KernelLevel) throws {
        let modes = [KF_COLOR_DODGE, KF_COLOR_BURN, KF_HUE, KF_SATURATION, KF_COLOR, KF_LUMINOSITY]
        var generator = SeededGenerator(seed: 13)
        for width in 1...70 {
            let source = try noise(width, using: &generator)
            let canvas = try noise(1, using: &generator)
            for mode in modes {
                let opacity = Float.random(in: 0...1, using: &generator)
                let plain = KernelRow.made(of: source) {
                    kf_blend_curved(KF_SCALAR, mode, $0, $1, canvas, opacity, $2)
                }
                let fast = KernelRow.made(of: source) {
                    kf_blend_curved(level.native, mode, $0, $1, canvas, opacity, $2)
                }
                #expect(plain == fast, "mode \(mode.rawValue), \(width) pixels on \(canvas) at \(opacity)")
            }
        }
    }
}
