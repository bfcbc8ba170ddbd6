import Foundation
import Kingfisher
import KingfisherTestSupport
import QOI
import Testing

@Suite("QOI files") struct QOICodecTests {
    private let codec = QOICodec()

    private func decode(_ data: Data) throws(ImageCodecError) -> PixelBuffer {
        try codec.open(EncodedFile(data)).decode(.full)
    }

    @Test("Decoded pixels equal Pillow's", arguments: Golden.names) func decodes(name: String) throws {
        let data = try Golden.file(name)
        let decoder = try codec.open(EncodedFile(data))
        let pixels = try decoder.decode(.full)
        #expect(pixels.samples == (try Golden.pixels(name)))
        #expect(decoder.header.size == pixels.size)
        #expect(decoder.header.hasAlpha == !pixels.format.isOpaque)
    }

    @Test("An exact target gives an image of its size") func exactTarget() throws {
        let target = PixelSize(width: 5, height: 4)
        let pixels = try codec.open(EncodedFile(Golden.file("rgba"))).decode(.exactly(target))
        #expect(pixels.size == target)
    }

    @Test("Encoded files equal Pillow's byte for byte", arguments: Golden.names)
    func encodes(name: String) throws {
        let data = try Golden.file(name)
        let pixels = try decode(data)
        #expect(try codec.encode(pixels, options: ImageEncodingOptions()) == data)
    }

    @Test(
        "Images of other formats survive a round trip as 8-bit RGBA",
        arguments: ["PNG/gray8.png", "PNG/rgba16.png", "PNG/grayalpha8.png", "JPEG/orientation-6.jpg"])
    func otherLayouts(name: String) throws {
        let image = try #require(Image(data: Fixtures.data(named: name)))
        let pixels = try #require(image.pixels)
        let format = pixels.format.isOpaque ? PixelFormat.rgba8Opaque : .rgba8Straight
        let data = try image.encoded(using: QOICodec())
        #expect(try decode(data).samples == pixels.converted(to: format).samples)
    }

    @Test("A truncated file is an error at every length", arguments: Golden.names)
    func truncations(name: String) throws {
        let data = try Golden.file(name)
        for count in 0..<data.count {
            #expect(throws: count < 4 ? .unknownFormat : ImageCodecError.truncated, "\(count) bytes") {
                try decode(data.prefix(count))
            }
        }
    }

    @Test("A flipped bit gives an error or an image of the header's size") func flips() throws {
        let data = try Golden.file("rgba")
        var errors = 0
        for offset in data.indices {
            // Every bit of the header, and one bit of each later byte.
            for bit in offset < 14 ? 0..<8 : offset % 8..<offset % 8 + 1 {
                var damaged = data
                damaged[offset] ^= 1 << bit
                do throws(ImageCodecError) {
                    let decoder = try codec.open(EncodedFile(damaged))
                    let pixels = try decoder.decode(.full)
                    #expect(pixels.size == decoder.header.size)
                } catch {
                    errors += 1
                }
            }
        }
        // At least the flips in magic, size and end marker are errors.
        #expect(errors >= 8 * 12 + 8)
    }

    @Test("An oversized header is refused before memory is allocated") func oversizedHeader() throws {
        var data = try Golden.file("rgb")
        data.replaceSubrange(4..<12, with: [0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10])
        #expect(throws: ImageCodecError.truncated) { try decode(data) }
        data.replaceSubrange(4..<12, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: ImageCodecError.tooLarge(width: 4_294_967_295, height: 4_294_967_295)) {
            try decode(data)
        }
    }

    @Test("A missing end marker and a run beyond the last pixel are errors")
    func ends() throws {
        var data = try Golden.file("black")
        #expect(data.dropFirst(14).dropLast(8).elementsEqual([0xFD, 0xFD, 0xC1]))
        data[16] = 0xC2
        #expect(throws: ImageCodecError.corrupt("a run beyond the last pixel")) {
            try decode(data)
        }
        data[16] = 0xC1
        data[data.count - 1] = 0
        #expect(throws: ImageCodecError.corrupt("no end marker after the last pixel")) {
            try decode(data)
        }
    }
}
