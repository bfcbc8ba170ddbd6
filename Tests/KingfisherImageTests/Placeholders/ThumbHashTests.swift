import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// ThumbHash against the reference implementation.
@Suite struct ThumbHashTests {
    @Test("The hash of an image has the bytes of the reference", arguments: PlaceholderReference.all)
    func encoding(entry: PlaceholderReference.Entry) throws {
        let hash = try ThumbHash(of: entry.image)
        #expect(hash.base64 == entry.thumb.hash)
        #expect(try ThumbHash(base64: entry.thumb.hash) == hash)
    }

    @Test(
        "A decoded hash differs by at most one step from the reference", arguments: PlaceholderReference.all)
    func decoding(entry: PlaceholderReference.Entry) throws {
        let hash = try ThumbHash(base64: entry.thumb.hash)
        let pixels = try #require(try hash.image(longerSide: entry.thumb.side).pixels)
        #expect(pixels.size == PixelSize(width: entry.thumb.width, height: entry.thumb.height))
        #expect(pixels.format == (hash.hasAlpha ? .rgba8Straight : .rgba8Opaque))
        let ours = Samples.all(pixels).flatMap { $0 }
        let difference = try #require(PixelDifference(ours, entry.decoded("thumb.rgba")))
        #expect(difference.largest <= 1)
    }

    @Test("A premultiplied image has the hash of the straight one")
    func premultiplied() throws {
        let entry = try #require(PlaceholderReference.all.first { $0.name.hasPrefix("half-clear") })
        let pixels = try #require(try entry.image.pixels).converted(to: .rgba8Premultiplied)
        #expect(try ThumbHash(of: Image(pixels: pixels)).base64 == entry.thumb.hash)
    }

    @Test("Transparency, average colour and aspect ratio are read from the hash")
    func properties() throws {
        let clear = try ThumbHash(of: PlaceholderReference.image("clear-20x20"))
        #expect(clear.hasAlpha && clear.averageColor.alpha == 0 && clear.aspectRatio == 1)
        let red = try ThumbHash(of: PlaceholderReference.image("red-32x32"))
        #expect(!red.hasAlpha && red.averageColor.alpha == 1 && red.aspectRatio == 1)
        #expect(red.averageColor.red > 0.97 && max(red.averageColor.green, red.averageColor.blue) < 0.03)
        let wide = try ThumbHash(of: PlaceholderReference.image("chelsea-100x14"))
        #expect(wide.aspectRatio == 7)
        let high = try ThumbHash(of: PlaceholderReference.image("badge-50x100"))
        // 2.5 components along the shorter side, rounded half up as in JavaScript.
        #expect(high.hasAlpha && high.aspectRatio == 3.0 / 5)
    }

    @Test("Base64 is read with and without padding, and extra bytes are dropped")
    func spelling() throws {
        let text = "3UiKFQYreWhPtolHW39T9yhlB1d3iIB0WA=="
        let hash = try ThumbHash(base64: text)
        #expect(hash.base64 == text && "\(hash)" == text)
        #expect(try ThumbHash(base64: String(text.dropLast(2))) == hash)
        #expect(try ThumbHash(bytes: hash.bytes) == hash)
        #expect(try ThumbHash(bytes: Data(hash.bytes) + Data(count: 100)) == hash)
    }

    @Test(
        "A malformed hash is refused",
        arguments: [
            ("", .invalidLength), ("3UiK", .invalidLength),
            ("3UiKFQYreWhPtolHW39T9yhlB1d3iIB0", .invalidLength),
            ("3UiKFQYreWhPtolHW39T9yhlB1d3iIB0W*==", .invalidCharacter), ("%%%%%%%%", .invalidCharacter),
            ("3UiKEAYreWhPtolHW39T9yhlB1d3iIB0WA==", .invalidValue),
            (String(repeating: "A", count: 1_000_000), .invalidLength),
        ] as [(String, PlaceholderHashError)])
    func malformed(text: String, error: PlaceholderHashError) {
        #expect(throws: error) { try ThumbHash(base64: text) }
    }

    @Test("Every prefix of a hash is refused", arguments: PlaceholderReference.all.prefix(12))
    func truncated(entry: PlaceholderReference.Entry) throws {
        let hash = try ThumbHash(base64: entry.thumb.hash)
        for count in 0..<hash.bytes.count {
            #expect(throws: PlaceholderHashError.self) { try ThumbHash(bytes: hash.bytes.prefix(count)) }
        }
    }

    @Test("Any header is either refused or gives an image within its size")
    func anyHeader() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard let hash = try? ThumbHash(bytes: bytes) else {
                #expect(bytes[3] & 7 == 0)
                continue
            }
            #expect(hash.bytes.count < 32)
            let pixels = try #require(try hash.image(longerSide: 16).pixels)
            #expect(max(pixels.width, pixels.height) == 16)
        }
    }

    @Test("An image of no pixels, or of too many, is refused")
    func sizes() throws {
        let hash = try ThumbHash(base64: "3UiKFQYreWhPtolHW39T9yhlB1d3iIB0WA==")
        #expect(throws: ImageCodecError.emptyImage) { try ThumbHash(of: Image()) }
        for side in [0, -1, .min, .max, 1_000_000] {
            #expect(throws: ImageCodecError.self) { try hash.image(longerSide: side) }
        }
        #expect(Image().kf.thumbHash() == nil)
    }

    @Test("The hash of a photograph looks like that of the reference, which is reduced by Pillow")
    func photographs() throws {
        for photo in try #require(PlaceholderReference.stored).photos {
            let image = try Image.decode(Fixtures.data(named: "Photos/\(photo.name)"))
            let hash = try #require(image.kf.thumbHash())
            let ours = try #require(try hash.image().pixels)
            let theirs = try #require(try ThumbHash(base64: photo.thumb).image().pixels)
            let difference = try #require(
                PixelDifference(Samples.all(ours).flatMap { $0 }, Samples.all(theirs).flatMap { $0 }))
            #expect(difference.psnr >= 30, "\(photo.name): \(difference.psnr) dB")
        }
    }
}
