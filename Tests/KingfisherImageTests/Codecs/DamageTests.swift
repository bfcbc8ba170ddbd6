import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

/// Files that were cut or altered on their way: an error, or a whole picture, and never a crash.
@Suite struct DamageTests {
    static let small = [
        "PNG/rgba8.png", "PNG/palette4-trns.png", "PNG/gray16-adam7.png", "JPEG/420.jpg",
        "JPEG/progressive.jpg",
        "JPEG/cmyk.jpg", "JPEG/orientation-6.jpg", "JPEG/restart.jpg", "GIF/disposal-3.gif",
        "GIF/interlaced.gif",
    ]

    @Test(arguments: small) func everyCutIsAnError(name: String) throws {
        let data = try Fixtures.data(named: name)
        for count in 0..<data.count {
            // Below nine bytes no format is recognised.
            let expected: ImageCodecError = count > 8 ? .truncated : .unknownFormat
            #expect(throws: expected, "\(count) of \(data.count) bytes") {
                try Image.decode(data.prefix(count))
            }
        }
        _ = try Image.decode(data)
    }

    @Test(arguments: small) func everyFlippedBitIsSurvived(name: String) throws {
        let data = try Fixtures.data(named: name)
        let frames = ImageCreatingOptions(preloadAll: true)
        for offset in 0..<data.count {
            let flipped = data.replacing([data[offset] ^ 1 << (offset % 8)], at: offset)
            guard let image = try? Image.decode(flipped, options: frames) else { continue }
            #expect(image.pixels != nil)
        }
    }

    @Test func noiseIsNoPicture() throws {
        var generator = SystemRandomNumberGenerator()
        for codec in [PNGCodec(), JPEGCodec(), GIFCodec()] as [any ImageCodec] {
            let name = ["PNG": "PNG/rgb8.png", "JPEG": "JPEG/420.jpg", "GIF": "GIF/single.gif"][
                codec.format.name]
            let head = try Fixtures.data(named: #require(name)).prefix(14)
            for _ in 0..<300 {
                let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
                #expect(throws: ImageCodecError.self) { try codec.decode(head + noise, minimumSize: nil) }
            }
        }
    }

    @Test func textAndNothingAreNoFormat() {
        for data in [Data(), Data("<!doctype html><title>404</title>".utf8), Data(count: 100)] {
            #expect(throws: ImageCodecError.unknownFormat) { try Image.decode(data) }
        }
    }
}
