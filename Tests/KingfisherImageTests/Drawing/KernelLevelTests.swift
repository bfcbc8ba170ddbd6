import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Every instruction level gives the bytes of the scalar loops.
@Suite struct KernelLevelTests {
    static let others = KernelLevel.supported.filter { $0 != .scalar }

    /// Small sides, widths near the width of a vector, and sides with every remainder.
    static let sides = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 130]

    private func expectEqual(
        _ level: KernelLevel, _ what: String, _ draw: () throws -> PixelBuffer
    ) throws {
        let plain = try KernelLevel.$current.withValue(.scalar) { try draw().packed }
        let fast = try KernelLevel.$current.withValue(level) { try draw().packed }
        let differing = zip(plain, fast).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        #expect(differing == nil, "\(what) at \(level)")
    }

    private func randomCases(_ count: Int, _ body: (inout SeededGenerator, PixelSize) throws -> Void) rethrows
    {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<count {
            let width = Self.sides.randomElement(using: &generator) ?? 1
            let height = Self.sides.randomElement(using: &generator) ?? 1
            try body(&generator, PixelSize(width: width, height: height))
        }
    }

    @Test func thisProcessorSupportsVectorInstructions() {
        #if arch(x86_64)
            #expect(KernelLevel.supported.contains(.sse2))
        #endif
        #expect(KernelLevel.current == KernelLevel.supported.last)
    }

    @Test(arguments: others) func resizeMatchesTheScalarLoop(level: KernelLevel) throws {
        let formats: [PixelFormat] = [.rgba8Premultiplied, .rgba8Opaque, .gray8]
        try randomCases(60) { generator, size in
            let format = formats.randomElement(using: &generator) ?? .gray8
            let image = try PixelBuffer.noise(size.width, size.height, format, using: &generator)
            let target = PixelSize(
                width: Self.sides.randomElement(using: &generator) ?? 1,
                height: Self.sides.randomElement(using: &generator) ?? 1)
            try expectEqual(level, "\(size) to \(target)") { try image.resized(to: target) }
        }
    }

    @Test(arguments: others) func shrinkMatchesTheScalarLoop(level: KernelLevel) throws {
        try randomCases(80) { generator, size in
            let image = try PixelBuffer.noise(size.width, size.height, .rgba8Opaque, using: &generator)
            let target = PixelSize(
                width: Int.random(in: 1...size.width, using: &generator),
                height: Int.random(in: 1...size.height, using: &generator))
            let plan = ShrinkPlan(from: size, to: target, margin: 1)
            try expectEqual(level, "\(size) to \(target)") { try image.shrunk(by: plan) }
        }
    }

    /// Ten rows in boxes of nine leave a last box of one pixel.
    @Test(arguments: KernelLevel.supported) func aBoxOfOnePixelGivesThatPixel(level: KernelLevel) throws {
        let image = try PixelBuffer.flat(5, 10, .rgba8Opaque, [9, 8, 7, 255])
        let plan = ShrinkPlan(of: image.size, boxWidth: 1, boxHeight: 9)
        let shrunk = try KernelLevel.$current.withValue(level) { try image.shrunk(by: plan) }
        #expect(Set(Samples.all(shrunk)) == [[9, 8, 7, 255]])
    }

    @Test(arguments: others) func blurMatchesTheScalarLoop(level: KernelLevel) throws {
        try randomCases(30) { generator, size in
            let image = try PixelBuffer.noise(
                size.width, size.height, .rgba8Premultiplied, using: &generator)
            // 68 gives a box of 127, 135 one of 255, the widest for 16-bit sums; 136 takes another code path.
            let radii: [Double] = [2, 2.9, 10, 68, 135, 136, 700]
            let radius = radii.randomElement(using: &generator) ?? 2
            let blur = try #require(BoxBlur(radius: radius))
            try expectEqual(level, "\(size) by \(radius)") { try image.blurred(blur) }
        }
    }

    @Test(arguments: others) func premultiplyMatchesTheScalarLoop(level: KernelLevel) throws {
        try randomCases(30) { generator, size in
            let image = try PixelBuffer.noise(size.width, size.height, .rgba8Straight, using: &generator)
            try expectEqual(level, "\(size)") { try image.premultiplied() }
        }
    }
}
