import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// Truncated or altered files give an error or a whole image, and never crash.
@Suite struct CorruptFileTests {
    static let small = [
        "PNG/rgba8.png", "PNG/palette4-trns.png", "PNG/gray16-adam7.png", "JPEG/420.jpg",
        "JPEG/progressive.jpg", "JPEG/cmyk.jpg", "JPEG/orientation-6.jpg", "JPEG/restart.jpg",
        "GIF/disposal-3.gif", "GIF/interlaced.gif",
        "APNG/dispose2-blend1.apng", "APNG/palette-trns.apng", "APNG/gray2-adam7.apng",
        "APNG/hidden-default.apng", "APNG/many-chunks.apng",
    ]

    @Test(arguments: small) func filesTruncatedAnywhereAreErrors(name: String) throws {
        let data = try Fixtures.data(named: name)
        for count in 0..<data.count {
            // A format is recognised from nine bytes on.
            let expected: ImageCodecError = count > 8 ? .truncated : .unknownFormat
            #expect(throws: expected, "\(count) of \(data.count) bytes") {
                try Image.decode(data.prefix(count))
            }
        }
        _ = try Image.decode(data)
    }

    @Test(arguments: small) func everyFlippedBitGivesAnImageOrAnError(name: String) throws {
        let data = try Fixtures.data(named: name)
        let frames = ImageCreatingOptions(preloadAll: true)
        for offset in 0..<data.count {
            let flipped = data.replacing([data[offset] ^ 1 << (offset % 8)], at: offset)
            guard let image = try? Image.decode(flipped, options: frames) else { continue }
            #expect(image.pixels != nil)
        }
    }

    /// Alters several bytes at random places in every fixture, with a fixed seed, so failures are
    /// reproducible.
    @Test(arguments: ReferenceTests.pngs + ReferenceTests.jpegs + ReferenceTests.gifs + ReferenceTests.apngs)
    func scatteredCorruptBytesGiveAnImageOrAnError(name: String) throws {
        let data = try Fixtures.data(named: name)
        var generator = SeededGenerator(seed: UInt64(data.count))
        let frames = ImageCreatingOptions(preloadAll: true)
        for _ in 0..<25 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let offset = Int.random(in: 10..<data.count, using: &generator)
                damaged[offset] =
                    [0, 255, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator)
                    ?? 0
            }
            guard let image = try? Image.decode(damaged, options: frames) else { continue }
            #expect(image.pixels != nil)
        }
    }

    @Test func noiseIsNotAnImage() throws {
        var generator = SystemRandomNumberGenerator()
        for codec in [PNGCodec(), JPEGCodec(), GIFCodec(), APNGCodec()] as [any ImageCodec] {
            let name = [
                "PNG": "PNG/rgb8.png", "JPEG": "JPEG/420.jpg", "GIF": "GIF/single.gif",
                "APNG": "APNG/odd.apng",
            ][codec.format.name]
            let head = try Fixtures.data(named: #require(name)).prefix(14)
            for _ in 0..<300 {
                let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
                #expect(throws: ImageCodecError.self) { try codec.decode(head + noise, minimumSize: nil) }
            }
        }
    }

    @Test func textAndEmptyDataHaveNoFormat() {
        for data in [Data(), Data("<!doctype html><title>404</title>".utf8), Data(count: 100)] {
            #expect(throws: ImageCodecError.unknownFormat) { try Image.decode(data) }
        }
    }
}
