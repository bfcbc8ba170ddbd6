import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Stills against the pixels that dwebp found.
@Suite struct WebPStillTests {
    private let codec = WebPCodec()

    @Test func fixturesAreAllThere() {
        #expect(WebPSamples.stills.count >= 110)
        #expect(WebPSamples.animations.count >= 45)
    }

    private static let asStored = WebPSamples.stills.filter {
        !$0.contains("orientation-") && !$0.contains("icc-adobe")
    }

    @Test(arguments: asStored) func equalsDwebp(name: String) throws {
        let pixels = try codec.decode(Fixtures.data(named: name), minimumSize: nil)
        let reference = [UInt8](try Fixtures.data(named: name + ".rgba"))
        #expect(WebPSamples.bytes(pixels) == reference)
        #expect(pixels.format == .rgba8Opaque || pixels.format == .rgba8Straight)
        #expect(!pixels.format.isOpaque || pixels.isEntirelyOpaque)
    }

    @Test(arguments: WebPSamples.all) func headerTellsWhatDecodingGives(name: String) throws {
        let data = try Fixtures.data(named: name)
        let header = try codec.header(of: data)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(header.displaySize == pixels.size)
        #expect(header.hasAlpha == !pixels.format.isOpaque)
        #expect(header.bitsPerComponent == 8)
        let source = try codec.frameSource(for: data)
        #expect((source == nil) == !name.hasPrefix("WebP/anim-"))
        #expect(header.frameCount == source?.frameCount ?? 1)
        #expect(header.timing?.loopCount == source?.loopCount)
    }

    /// For each orientation, where a pixel of the upright picture stands in the stored one: EXIF 2.32, 4.6.4.A.
    @Test(arguments: [
        "1", "2", "3", "4", "5", "6", "6-alpha", "7", "8", "8-prefixed", "none",
    ]) func orientationTurnsThePixels(name: String) throws {
        let file = "WebP/orientation-\(name).webp"
        let data = try Fixtures.data(named: file)
        let stored = try codec.header(of: data).size
        let reference = [UInt8](try Fixtures.data(named: file + ".rgba"))
        let number = Int(name.prefix(1)) ?? 1
        let upright = try codec.decode(data, minimumSize: nil)
        #expect(upright.size == (number >= 5 ? stored.swapped : stored))
        let (right, bottom) = (stored.width - 1, stored.height - 1)
        for y in 0..<upright.height {
            for x in 0..<upright.width {
                let (column, row) =
                    switch number {
                    case 2: (right - x, y)
                    case 3: (right - x, bottom - y)
                    case 4: (x, bottom - y)
                    case 5: (y, x)
                    case 6: (y, bottom - x)
                    case 7: (right - y, bottom - x)
                    case 8: (right - y, x)
                    default: (x, y)
                    }
                let expected = (0..<4).map { Int(reference[(row * stored.width + column) * 4 + $0]) }
                #expect(upright.samples(x: x, y: y) == expected, "at \(x), \(y)")
            }
        }
    }

    @Test func aVP8LStreamThatHidesItsAlphaIsOpaque() throws {
        let data = try Fixtures.data(named: "WebP/badge-lossless.webp")
        var reference = [UInt8](try Fixtures.data(named: "WebP/badge-lossless.webp.rgba"))
        for index in stride(from: 3, to: reference.count, by: 4) { reference[index] = 255 }
        // The bit behind the two sizes of 14 bits (RFC 9649, 3.4), after RIFF, chunk head and signature.
        var lying = data
        lying[24] &= ~0x10
        #expect(try codec.header(of: data).hasAlpha)
        let pixels = try codec.decode(lying, minimumSize: nil)
        #expect(pixels.format == .rgba8Opaque)
        #expect(WebPSamples.bytes(pixels) == reference)
    }

    @Test func stillsHaveNoFrames() throws {
        #expect(try codec.frameSource(for: Fixtures.data(named: "WebP/photo-q75.webp")) == nil)
    }

    @Test func aPartOfASignatureIsRecognised() {
        #expect(codec.matches("RIFF....W"))
        #expect(codec.matches("RIFF....WEBPVP8 "))
        #expect(!codec.matches("RIFF...."))
        #expect(!codec.matches("RIFF....WAVE"))
        #expect(!codec.matches("RIFX....WEBP"))
    }
}

extension WebPCodec {
    fileprivate func matches(_ text: String) -> Bool {
        Data(text.utf8).withUnsafeBytes { matches($0) }
    }
}
