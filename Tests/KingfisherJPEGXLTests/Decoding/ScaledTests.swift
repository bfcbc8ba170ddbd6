import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import TestHelpers
import Testing

@Suite("JPEG XL: small targets", .enabled(if: Tools.arePresent))
struct ScaledTests {
    @Test(
        "An image that is shrunk while it is decoded equals the whole image shrunk",
        arguments: ReferenceTests.kinds.filter(\.isOpaque), [["-d", "0"], ["-d", "1"], ["-d", "1", "-p"]])
    func shrunk(_ format: PixelFormat, _ options: [String]) throws {
        let file = try Tools.encode(Samples.image(of: format, 1_043, 801), options)
        let target = PixelSize(width: 130, height: 100)
        let small = try JPEGXLCodec().decode(file, shrunkTo: target)
        let expected = try decode(file).resized(to: target)
        #expect(small.size == target && small.format == format)
        let level = format.depth == .eight ? 1 : 600
        #expect(try #require(try PixelGrid(small).distance(to: PixelGrid(expected))) <= level)
    }

    @Test("Alpha weights the colours")
    func alpha() throws {
        let file = try Tools.encode(TestImages.gradients(1_043, 801, alpha: true))
        let target = PixelSize(width: 130, height: 100)
        let small = try JPEGXLCodec().decode(file, shrunkTo: target)
        let expected = try decode(file).resized(to: target)
        #expect(small.format == .rgba8Premultiplied)
        for y in 0..<100 {
            for x in 0..<130 {
                let pair = zip(small.samples(x: x, y: y) ?? [], expected.samples(x: x, y: y) ?? [])
                #expect(pair.allSatisfy { abs($0 - $1) <= 3 })
            }
        }
    }

    @Test("A minimum size gives at least that size, and fewer pixels than the file")
    func minimum() throws {
        let file = try Tools.encode(TestImages.gradients(1_043, 801), "-d", "1")
        let pixels = try JPEGXLCodec().decode(file, minimumSize: PixelSize(width: 100, height: 90))
        #expect(pixels.width >= 200 && pixels.height >= 180 && pixels.width < 600)
    }
}
