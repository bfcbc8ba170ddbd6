import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// BlurHash against the reference in C.
@Suite struct BlurHashTests {
    @Test("There are reference hashes of at least 30 images")
    func references() {
        #expect(PlaceholderReference.small.count >= 30 && PlaceholderReference.all.count >= 40)
    }

    @Test("The hash of an image has the characters of the reference", arguments: PlaceholderReference.small)
    func encoding(entry: PlaceholderReference.Entry) throws {
        for expected in try #require(entry.blur).hashes {
            let hash = try BlurHash(of: entry.image, components: (expected.x, expected.y))
            #expect(hash.string == expected.hash)
            #expect(hash.components == (expected.x, expected.y))
            #expect(try BlurHash(expected.hash) == hash)
        }
    }

    @Test(
        "A decoded hash differs by at most one step from the reference", arguments: PlaceholderReference.small
    )
    func decoding(entry: PlaceholderReference.Entry) throws {
        let blur = try #require(entry.blur)
        let size = PixelSize(width: blur.width, height: blur.height)
        let image = try BlurHash(blur.hashes[0].hash).image(size: size, punch: blur.punch)
        let pixels = try #require(image.pixels)
        #expect(pixels.size == size && pixels.format == .rgba8Opaque && image.scale == 1)
        #expect(Samples.all(pixels).allSatisfy { $0[3] == 255 })
        let ours = Samples.all(pixels).flatMap { $0.prefix(3) }
        let difference = try #require(PixelDifference(ours, entry.decoded("blur.rgb")))
        #expect(difference.largest <= 1)
    }

    @Test(
        "The published examples are read",
        arguments: ["LEHV6nWB2yk8pyo0adR*.7kCMdnj", "LlMF%n00%#MwS|WCWEM{R*bbWBbH"])
    func examples(text: String) throws {
        let hash = try BlurHash(text)
        #expect(hash.components == (4, 3) && hash.string == text && "\(hash)" == text)
    }

    @Test("The average colour is that of a flat image")
    func average() throws {
        let entry = try #require(PlaceholderReference.small.first { $0.name.hasPrefix("teal") })
        let color = try BlurHash(of: entry.image).averageColor
        #expect(color == Color(red: 18 / 255, green: 132 / 255, blue: 141 / 255))
    }

    @Test("The numbers of components are clamped to 1...9")
    func clamped() throws {
        let image = try #require(PlaceholderReference.small.first).image
        #expect(try BlurHash(of: image, components: (0, -3)).components == (1, 1))
        #expect(try BlurHash(of: image, components: (.max, 12)).components == (9, 9))
    }

    @Test(
        "A malformed hash is refused",
        arguments: [
            ("", .invalidLength), ("LEHV6", .invalidLength), ("LEHV6nWB2yk8pyo0adR*.7kCMdn", .invalidLength),
            ("LEHV6nWB2yk8pyo0adR*.7kCMdnjx", .invalidLength),
            ("LEHV6nWB2yk8pyo0adR*.7kCMd\"j", .invalidCharacter),
            ("LEHV6nWB2yk8pyo0adR*.7kCMdé", .invalidCharacter), ("\0\0\0\0\0\0", .invalidCharacter),
            ("~EHV6nWB2yk8pyo0adR*.7kCMdnj", .invalidValue), ("00~~~~", .invalidValue),
            ("10~~~~00", .invalidValue), ("100000~~", .invalidValue),
            (String(repeating: "L", count: 1_000_000), .invalidLength),
        ] as [(String, PlaceholderHashError)])
    func malformed(text: String, error: PlaceholderHashError) {
        #expect(throws: error) { try BlurHash(text) }
    }

    @Test("Every prefix of a hash is refused")
    func truncated() {
        let text = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
        for count in 0..<text.count {
            #expect(throws: PlaceholderHashError.self) { try BlurHash(String(text.prefix(count))) }
        }
    }

    @Test("An image of no pixels, or of too many, is refused")
    func sizes() throws {
        let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        #expect(throws: ImageCodecError.emptyImage) { try BlurHash(of: Image()) }
        let side = ImageLimits.maximumFilteredSide + 1
        for size in [(0, 5), (5, 0), (-1, 5), (.max, .max), (1_000_000, 1_000_000), (side, 1), (1, side)] {
            #expect(throws: ImageCodecError.tooLarge(width: size.0, height: size.1)) {
                try hash.image(size: PixelSize(width: size.0, height: size.1))
            }
        }
        #expect(Image().kf.blurHash() == nil)
    }

    @Test(
        "A punch that is negative, huge or not a number is clamped",
        arguments: [(-1.0, 0.0), (.infinity, 100), (1e300, 100), (.nan, 1)])
    func punch(given: Double, used: Double) throws {
        let hash = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        let one = try #require(hash.image(punch: given).pixels)
        let other = try #require(hash.image(punch: used).pixels)
        #expect(Samples.all(one) == Samples.all(other))
    }

    @Test("The hash of a photograph, reduced first, looks like that of all its pixels")
    func photographs() throws {
        for photo in try #require(PlaceholderReference.stored).photos {
            let image = try Image.decode(Fixtures.data(named: "Photos/\(photo.name)"))
            let hash = try #require(image.kf.blurHash())
            let ours = try #require(try hash.image().pixels)
            let theirs = try #require(try BlurHash(photo.blur).image().pixels)
            let difference = try #require(
                PixelDifference(Samples.all(ours).flatMap { $0 }, Samples.all(theirs).flatMap { $0 }))
            #expect(difference.psnr >= 27, "\(photo.name): \(difference.psnr) dB")
        }
    }

    @Test("The orientation is applied before the hash is made")
    func orientation() throws {
        let image = try #require(PlaceholderReference.small.first).image
        let pixels = try #require(image.pixels)
        let turned = Image(pixels: pixels, orientation: .right)
        let upright = Image(pixels: try pixels.upright(from: .right))
        #expect(try BlurHash(of: turned) == BlurHash(of: upright))
        #expect(try ThumbHash(of: turned) == ThumbHash(of: upright))
        #expect(try BlurHash(of: turned) != BlurHash(of: image))
    }

    @Test("Linear values give the level nearest in sRGB")
    func levels() {
        for step in 0...100_000 {
            let value = Double(step) / 100_000
            let exact = Double(SRGB.encoded(CGFloat(value))) * 255
            #expect(abs(Double(SRGBLevels.level(value)) - exact) <= 0.5 + 1e-9)
        }
        #expect([-1, .nan, -.infinity].map(SRGBLevels.level) == [0, 0, 0])
        #expect([1, 2, .infinity].map(SRGBLevels.level) == [255, 255, 255])
    }
}
