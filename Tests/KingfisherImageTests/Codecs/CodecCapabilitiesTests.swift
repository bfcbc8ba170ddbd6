import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Compares the declared capabilities of codecs with their behaviour.
@Suite struct CodecCapabilitiesTests {
    private static let codecs: [any ImageCodec] = [JPEGCodec(), PNGCodec(), APNGCodec(), GIFCodec()]

    private func decoded(_ pixels: PixelBuffer, by codec: any ImageCodec) throws -> PixelBuffer {
        let file = try codec.encode(pixels, options: ImageEncodingOptions())
        // The APNG codec writes a single frame as a PNG.
        return try #require(ImageCodecs.codec(for: file)).decode(file, minimumSize: nil)
    }

    @Test(
        "Encoded images have the alpha, depth and losslessness that the codec declares",
        arguments: codecs.indices)
    func encoding(index: Int) throws {
        let codec = Self.codecs[index]
        let can = codec.capabilities
        var generator = SeededGenerator(seed: 19)
        let opaque = try PixelBuffer.noise(40, 30, .rgba8Opaque, using: &generator)
        let isLossless = Samples.all(try decoded(opaque, by: codec)) == Samples.all(opaque)
        #expect(isLossless == can.contains(.encodesLossless))
        let clear = try Samples.buffer(
            8, .rgba8Straight, Array(repeating: 0, count: 4 * 32) + Array(repeating: 255, count: 4 * 32))
        let keepsAlpha = !(try decoded(clear, by: codec).format.isOpaque)
        #expect(keepsAlpha == can.contains(.encodesAlpha))
        let deep = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
        let wide = try PixelBuffer.noise(9, 9, deep, using: &generator)
        #expect((try decoded(wide, by: codec).format.depth == .sixteen) == can.contains(.encodes16Bits))
    }

    @Test("The quality changes the bytes only for codecs that declare it", arguments: codecs.indices)
    func quality(index: Int) throws {
        let codec = Self.codecs[index]
        var generator = SeededGenerator(seed: 20)
        let pixels = try PixelBuffer.noise(40, 30, .rgba8Opaque, using: &generator)
        let files = try [0.2, 0.9].map {
            try codec.encode(pixels, options: ImageEncodingOptions(quality: $0))
        }
        #expect((files[0] != files[1]) == codec.capabilities.contains(.encodesLossy))
    }

    @Test("Only codecs that declare animations write them", arguments: codecs.indices)
    func animations(index: Int) throws {
        let codec = Self.codecs[index]
        let gif = try Fixtures.data(named: "GIF/disposal-mixed.gif")
        let frames = try #require(try Image.decode(gif, using: GIFCodec()).animationFrames)
        let file = try codec.encode(all: frames, options: ImageEncodingOptions())
        #expect((file != nil) == codec.capabilities.contains(.encodesAnimations))
        let header = try file.map { try codec.header(of: $0) }
        #expect((header?.frameCount ?? 1 > 1) == codec.capabilities.contains(.decodesAnimations))
    }

    @Test("The version of a codec names its library", arguments: codecs.indices)
    func version(index: Int) {
        let version = Self.codecs[index].version
        #expect(
            version.contains(/^(libjpeg-turbo|libspng) [1-9]?[0-9]\.[0-9]+\.[0-9]+$/)
                || version == "Kingfisher")
    }
}
