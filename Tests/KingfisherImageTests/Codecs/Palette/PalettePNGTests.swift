import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// PNG files with `ImageEncodingOptions.maximumColors`.
@Suite struct PalettePNGTests {
    private let codec = PNGCodec()

    private func encode(_ pixels: PixelBuffer, colors: Int) throws -> Data {
        try codec.encode(pixels, options: ImageEncodingOptions(maximumColors: colors))
    }

    private func colorType(_ file: Data) -> UInt8 { file[25] }
    private func depth(_ file: Data) -> UInt8 { file[24] }

    /// `count` colours in a random order; with `alpha` some are translucent or clear.
    private func drawing(_ count: Int, alpha: Bool) throws -> PixelBuffer {
        var samples: [Int] = []
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<64 {
            for _ in 0..<47 {
                let color = Int.random(in: 0..<count, using: &generator)
                let opacity = !alpha ? 255 : color % 7 == 3 ? 0 : color % 5 == 2 ? 100 + color % 50 : 255
                samples += [color * 37 % 256, color * 91 % 256, color, opacity]
            }
        }
        return try Samples.buffer(47, alpha ? .rgba8Straight : .rgba8Opaque, samples)
    }

    @Test(
        "An image with few colours keeps them, with the fewest bits",
        arguments: [2, 3, 4, 5, 16, 17, 200, 256], [false, true])
    func exact(count: Int, alpha: Bool) throws {
        let pixels = try drawing(count, alpha: alpha)
        let file = try encode(pixels, colors: 256)
        #expect(colorType(file) == 3)
        let used = Set(Samples.premultiplied(pixels).chunks(of: 4)).count
        #expect(depth(file) == (used <= 2 ? 1 : used <= 4 ? 2 : used <= 16 ? 4 : 8))
        for shown in [
            try codec.decode(file, minimumSize: nil),
            try file.reading { reader throws(ImageCodecError) in
                try PNGDecoder.decodeByLibspng(PNGFileHeader(scanning: reader), reader)
            },
        ] {
            #expect(Samples.premultiplied(shown) == Samples.premultiplied(pixels))
        }
        #expect(try file.count <= codec.encode(pixels, options: ImageEncodingOptions()).count)
    }

    @Test("A photograph gets a palette of at most the given size", arguments: [2, 16, 100, 256])
    func photograph(colors: Int) throws {
        let pixels = try JPEGCodec().decode(
            Fixtures.data(named: "Photos/chelsea-eyes.jpg"), minimumSize: nil)
        let file = try encode(pixels, colors: colors)
        let shown = try codec.decode(file, minimumSize: nil)
        let used = Set(Samples.premultiplied(shown).chunks(of: 4)).count
        #expect(colorType(file) == 3 && used <= colors && used > colors / 2)
        #expect(try file.count < codec.encode(pixels, options: ImageEncodingOptions()).count)
        // 34 dB measured for 256 colours, which dithering makes worse than the nearest colours.
        let error =
            zip(Samples.premultiplied(pixels), Samples.premultiplied(shown))
            .reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) } / Double(pixels.size.area * 4)
        if colors == 256 { #expect(10 * log10(255 * 255 / error) > 33) }
    }

    @Test("Soft edges keep their translucency, and opaque areas stay opaque")
    func softEdges() throws {
        // A disc with an edge of 24 pixels over a gradient: more than 256 colours.
        var samples: [Int] = []
        for y in 0..<128 {
            for x in 0..<128 {
                let distance = (pow(Double(x) - 64, 2) + pow(Double(y) - 64, 2)).squareRoot()
                samples += [x * 2, y * 2, 90, Int(min(max((60 - distance) / 24, 0), 1) * 255)]
            }
        }
        let pixels = try Samples.buffer(128, .rgba8Straight, samples)
        let shown = try codec.decode(encode(pixels, colors: 256), minimumSize: nil)
        var errors = 0
        for y in 0..<128 {
            for x in 0..<128 {
                let alpha = samples[(y * 128 + x) * 4 + 3]
                let got = try #require(shown.samples(x: x, y: y)?.last)
                if alpha == 0 { #expect(got == 0) }
                if alpha == 255 { #expect(got == 255, "\(x) \(y)") }
                errors += abs(alpha - got)
            }
        }
        #expect(Double(errors) / Double(128 * 128) < 3)
    }

    @Test("Grayscale, 16 bits, one pixel and numbers out of range")
    func others() throws {
        let gray = try Samples.buffer(4, .gray8, [0, 85, 170, 255])
        #expect(
            try Samples.premultiplied(codec.decode(encode(gray, colors: 4), minimumSize: nil))
                == Samples.premultiplied(gray))
        let deep = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
        let wide = try codec.decode(
            encode(Samples.buffer(1, deep, [0, 257 * 3, 65_535, 65_535]), colors: 8), minimumSize: nil)
        #expect(Samples.premultiplied(wide) == [0, 3, 255, 255])
        let pixels = try drawing(9, alpha: true)
        #expect(try encode(pixels, colors: -5) == encode(pixels, colors: 2))
        #expect(try encode(pixels, colors: .max) == encode(pixels, colors: 256))
        #expect(try encode(pixels, colors: 3) == encode(pixels, colors: 3))
    }

    @Test("GIF frames have at most the given number of colours")
    func gif() throws {
        let pixels = try JPEGCodec().decode(
            Fixtures.data(named: "Photos/chelsea-eyes.jpg"), minimumSize: nil)
        for colors in [4, 32] {
            let file = try GIFCodec().encode(pixels, options: ImageEncodingOptions(maximumColors: colors))
            let shown = try GIFCodec().decode(file, minimumSize: nil)
            #expect(Set(Samples.premultiplied(shown).chunks(of: 4)).count <= colors)
        }
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
