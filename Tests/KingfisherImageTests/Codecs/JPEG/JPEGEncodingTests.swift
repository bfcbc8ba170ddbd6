import Foundation
import KingfisherImage
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct JPEGEncodingTests {
    private let codec = JPEGCodec()

    @Test func equalImagesGiveEqualBytes() throws {
        let pixels = try codec.decode(Fixtures.data(named: "Photos/coffee.jpg"), minimumSize: nil)
        #expect(
            try codec.encode(pixels, options: .init(quality: 0.8))
                == codec.encode(pixels, options: .init(quality: 0.8)))
    }

    @Test func higherQualityGivesCloserPixelsAndLargerFiles() throws {
        let pixels = try codec.decode(Fixtures.data(named: "Photos/chelsea.jpg"), minimumSize: nil)
        let original = Samples.premultiplied(pixels)
        var (size, error) = (0, Int.max)
        for quality in [-1, 0.2, 0.5, 0.8, 1.0] {
            let data = try codec.encode(pixels, options: .init(quality: quality))
            let again = Samples.premultiplied(try codec.decode(data, minimumSize: nil))
            let distance = zip(original, again).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(data.count > size)
            #expect(distance < error)
            (size, error) = (data.count, distance)
        }
        #expect(Double(error) / Double(original.count) < 1)
    }

    @Test func transparentPixelsAreDrawnOverWhite() throws {
        let clear = Array(repeating: [0, 0, 0, 0], count: 64).flatMap { $0 }
        for format in [PixelFormat.rgba8Premultiplied, .rgba8Straight] {
            let pixels = try codec.decode(
                codec.encode(Samples.buffer(8, format, clear), options: .init(quality: 1)), minimumSize: nil)
            #expect(Samples.all(pixels).allSatisfy { $0 == [255, 255, 255, 255] })
        }
        let half = Array(repeating: [128, 0, 0, 128], count: 64).flatMap { $0 }
        let pixels = try codec.decode(
            codec.encode(Samples.buffer(8, .rgba8Premultiplied, half), options: .init(quality: 1)),
            minimumSize: nil)
        let corner = try #require(pixels.samples(x: 3, y: 3))
        for (sample, expected) in zip(corner, [255, 127, 127]) { #expect(abs(sample - expected) <= 2) }
    }

    @Test func sixteenBitsAndGrayAlphaAreEncoded() throws {
        for (name, format) in [
            ("rgb16", PixelFormat.rgba8Opaque), ("grayalpha16", .gray8), ("grayalpha8", .gray8),
        ] {
            let pixels = try PNGCodec().decode(Fixtures.data(named: "PNG/\(name).png"), minimumSize: nil)
            let again = try codec.decode(codec.encode(pixels, options: .init(quality: 1)), minimumSize: nil)
            #expect(again.format == format)
            #expect(again.size == pixels.size)
        }
    }

    @Test func chromaIsSubsampledBelowAQualityOfNineTenths() throws {
        let pixels = try codec.decode(Fixtures.data(named: "Photos/coffee.jpg"), minimumSize: nil)
        func sampling(_ quality: Double) throws -> UInt8 {
            let data = try codec.encode(pixels, options: .init(quality: quality))
            let frame = try #require(data.offset(of: [0xFF, 0xC0]))
            return data[frame + 11]
        }
        #expect(try sampling(0.89) == 0x22)
        #expect(try sampling(0.9) == 0x11)
    }

    @Test("Chroma has the resolution of the options", arguments: ChromaSubsampling.allCases)
    func chroma(_ chroma: ChromaSubsampling) throws {
        let pixels = try codec.decode(Fixtures.data(named: "Photos/coffee.jpg"), minimumSize: nil)
        let data = try codec.encode(pixels, options: .init(quality: 0.8, chroma: chroma))
        let frame = try #require(data.offset(of: [0xFF, 0xC0]))
        #expect(data[frame + 11] == (chroma == .full ? 0x11 : chroma == .half ? 0x21 : 0x22))
        #expect(try codec.decode(data, minimumSize: nil).size == pixels.size)
    }

    @Test("Progressive files and optimized tables have the same pixels in fewer bytes")
    func progressive() throws {
        let pixels = try codec.decode(Fixtures.data(named: "Photos/coffee.jpg"), minimumSize: nil)
        let plain = try codec.encode(pixels, options: .init(quality: 0.8))
        for options in [
            ImageEncodingOptions(quality: 0.8, effort: 5), .init(quality: 0.8, isProgressive: true),
        ] {
            let data = try codec.encode(pixels, options: options)
            #expect(data.count < plain.count)
            #expect((data.offset(of: [0xFF, 0xC2]) != nil) == options.isProgressive)
            #expect(
                try Samples.all(codec.decode(data, minimumSize: nil))
                    == Samples.all(codec.decode(plain, minimumSize: nil)))
        }
        let gray = try codec.encode(
            Samples.buffer(3, .gray8, [0, 80, 255]), options: .init(chroma: .quarter, isProgressive: true))
        #expect(try codec.decode(gray, minimumSize: nil).format == .gray8)
    }
}
