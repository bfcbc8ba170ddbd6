import KingfisherTestSupport
import Testing

@testable import KingfisherImage

@Suite struct ConversionTests {
    /// Every colour at every alpha, rounded to nearest.
    @Test(arguments: KernelLevel.supported) func eightBitsMultiplyExactly(level: KernelLevel) throws {
        let samples = (0...255).flatMap { alpha in (0...255).flatMap { [$0, 255 - $0, 7, alpha] } }
        let straight = try Samples.buffer(256, .rgba8Straight, samples)
        let expected = stride(from: 0, to: samples.count, by: 4).flatMap { pixel -> [Int] in
            let alpha = samples[pixel + 3]
            return (0..<3).map { (samples[pixel + $0] * alpha * 2 + 255) / 510 } + [alpha]
        }
        let result = try KernelLevel.$current.withValue(level) { try straight.premultiplied() }
        #expect(result.format == .rgba8Premultiplied)
        #expect(result.packed == expected)
    }

    @Test func eightBitsDivideExactly() throws {
        let samples = (0...255).flatMap { alpha in (0...255).flatMap { [min($0, alpha), 0, alpha, alpha] } }
        let premultiplied = try Samples.buffer(256, .rgba8Premultiplied, samples)
        let result = try premultiplied.converted(to: .rgba8Straight).packed
        for pixel in stride(from: 0, to: samples.count, by: 4) where samples[pixel + 3] > 0 {
            let (color, alpha) = (samples[pixel], samples[pixel + 3])
            #expect(result[pixel] == (color * 510 + alpha) / (alpha * 2))
        }
        #expect(result[0..<4] == [0, 0, 0, 0])
    }

    @Test func depthIsRoundedToNearest() throws {
        let deep = PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque)
        let all = try Samples.buffer(256, deep, Array(0...65_535))
        let narrow = try all.converted(to: .gray8).packed
        #expect(zip(0...65_535, narrow).allSatisfy { ($0 * 255 * 2 + 65_535) / 131_070 == $1 })
        let wide = try Samples.buffer(256, .gray8, Array(0...255)).converted(to: deep).packed
        #expect(wide == (0...255).map { $0 * 257 })
    }

    /// One conversion step, several, and only a change of the declared format; rows of more than two pieces,
    /// the last one short.
    @Test(arguments: [PixelFormat.rgba8Premultiplied, .rgba8Straight])
    func longRowsAreConvertedLikeShortOnes(target: PixelFormat) throws {
        var generator = SeededGenerator(seed: 12)
        let deep = PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight)
        for format in [deep, .rgba8Straight, .rgba8Opaque] {
            let long = try PixelBuffer.noise(10_000, 2, format, using: &generator)
            let short = try Samples.buffer(100, format, long.packed)
            #expect(try long.converted(to: target).packed == short.converted(to: target).packed)
        }
    }

    @Test func sixteenBitsMultiplyExactly() throws {
        var generator = SeededGenerator(seed: 3)
        let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
        let image = try PixelBuffer.noise(97, 41, format, using: &generator)
        let result = try image.converted(to: format.premultiplied)
        for (before, after) in zip(Samples.all(image), Samples.all(result)) {
            #expect(after[3] == before[3])
            #expect((0..<3).allSatisfy { (before[$0] * before[3] * 2 + 65_535) / 131_070 == after[$0] })
        }
        let back = try result.converted(to: format)
        for (before, after) in zip(Samples.all(result), Samples.all(back)) where before[3] > 0 {
            #expect((0..<3).allSatisfy { (before[$0] * 131_070 + before[3]) / (before[3] * 2) == after[$0] })
        }
    }

    @Test func grayBecomesColor() throws {
        let grayAlpha = PixelFormat(layout: .grayAlpha, alpha: .straight)
        let image = try Samples.buffer(2, grayAlpha, [200, 128, 9, 0])
        #expect(try image.premultiplied().packed == [100, 100, 100, 128, 0, 0, 0, 0])
        #expect(try Samples.buffer(1, .gray8, [7]).premultiplied().packed == [7, 7, 7, 255])
        #expect(try Samples.buffer(1, .gray8, [7]).converted(to: grayAlpha).packed == [7, 255])
        let deep = PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight)
        let deepImage = try Samples.buffer(1, deep, [65_535, 32_768])
        #expect(try deepImage.premultiplied().packed == [128, 128, 128, 128])
        let rgba16 = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
        #expect(try deepImage.converted(to: rgba16).packed == [65_535, 65_535, 65_535, 32_768])
        #expect(try image.converted(to: rgba16).packed[0..<4] == [51_400, 51_400, 51_400, 32_896])
    }

    @Test func conversionsThatLoseInformationAreRefused() throws {
        let color = try PixelBuffer.flat(1, 1, .rgba8Opaque, [1, 2, 3, 255])
        let clear = try PixelBuffer.flat(1, 1, .rgba8Straight, [1, 2, 3, 4])
        let error = ImageCodecError.unsupported("dropping colour or transparency")
        #expect(throws: error) { try color.converted(to: .gray8) }
        #expect(throws: error) { try clear.converted(to: .rgba8Opaque) }
        #expect(try color.converted(to: .rgba8Straight).packed == [1, 2, 3, 255])
        #expect(try color.converted(to: .rgba8Opaque) === color)
    }

    @Test func cropsOutsideTheImageAreRefused() throws {
        let image = try PixelBuffer.flat(4, 4, .gray8, [5])
        #expect(try image.cropped(x: 3, y: 0, width: 1, height: 4).packed == [5, 5, 5, 5])
        for (x, y, width, height) in [
            (3, 0, 2, 1), (-1, 0, 1, 1), (0, 0, 0, 1), (0, 4, 1, 1), (.max, 0, 1, 1),
        ] {
            #expect(throws: ImageCodecError.tooLarge(width: width, height: height)) {
                try image.cropped(x: x, y: y, width: width, height: height)
            }
        }
    }
}
