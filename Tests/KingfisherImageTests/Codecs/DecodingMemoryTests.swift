import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Estimates of decoding memory, from the header alone.
@Suite struct DecodingMemoryTests {
    private func memory(_ name: String, target: PixelSize? = nil) throws -> Int {
        let data = try Fixtures.data(named: name)
        return try #require(ImageCodecs.codec(for: data)).decodingMemory(of: data, target: target)
    }

    private func pixels(_ name: String) throws -> Int {
        let data = try Fixtures.data(named: name)
        return try #require(ImageCodecs.codec(for: data)).decode(data, minimumSize: nil).byteCount
    }

    @Test(
        "The estimate for a whole image is at least its pixels, at most three times these plus row buffers",
        arguments: ["PNG/rgba8.png", "Photos/chelsea-eyes.jpg", "GIF/delays.gif", "APNG/mixed.apng"])
    func whole(name: String) throws {
        let (memory, pixels) = (try memory(name), try pixels(name))
        #expect(memory >= pixels && memory <= 3 * pixels + 1 << 19, "\(memory) \(pixels)")
    }

    @Test(
        "The estimate for a thumbnail is less than for the whole image",
        arguments: ["Photos/chelsea-eyes.jpg"])
    func thumbnail(name: String) throws {
        let small = try memory(name, target: PixelSize(width: 16, height: 16))
        #expect(small < (try memory(name)) / 4)
    }

    @Test("A file with a corrupt header, or beyond the limits, has no estimate")
    func damage() throws {
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        #expect(throws: ImageCodecError.self) {
            try PNGCodec().decodingMemory(of: png.prefix(20), target: nil)
        }
        var limits = ImageLimits()
        limits.maximumPixels = 10
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.self) { try PNGCodec().decodingMemory(of: png, target: nil) }
        }
    }
}
