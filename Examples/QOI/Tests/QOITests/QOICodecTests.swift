import Foundation
import Kingfisher
import KingfisherTestSupport
import QOI
import Testing

@Suite("QOI files") struct QOICodecTests {
    private let codec = QOICodec()

    @Test("Decoded pixels equal Pillow's", arguments: Golden.names) func decodes(name: String) throws {
        let data = try Golden.file(name)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(pixels.samples == (try Golden.pixels(name)))
        let header = try codec.header(of: data)
        #expect(header.size == pixels.size && header.hasAlpha == !pixels.format.isOpaque)
    }

    @Test("Encoded files equal Pillow's byte for byte", arguments: Golden.names)
    func encodes(name: String) throws {
        let data = try Golden.file(name)
        let pixels = try codec.decode(data, minimumSize: nil)
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
        #expect(try codec.decode(data, minimumSize: nil).samples == pixels.converted(to: format).samples)
    }

    @Test("A truncated file is an error at every length", arguments: Golden.names)
    func truncations(name: String) throws {
        let data = try Golden.file(name)
        for count in 0..<data.count {
            #expect(throws: count < 4 ? .unknownFormat : ImageCodecError.truncated, "\(count) bytes") {
                try codec.decode(data.prefix(count), minimumSize: nil)
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
                    let pixels = try codec.decode(damaged, minimumSize: nil)
                    #expect(try codec.header(of: damaged).size == pixels.size)
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
        #expect(throws: ImageCodecError.truncated) { try codec.decode(data, minimumSize: nil) }
        data.replaceSubrange(4..<12, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: ImageCodecError.tooLarge(width: 4_294_967_295, height: 4_294_967_295)) {
            try codec.decode(data, minimumSize: nil)
        }
    }

    @Test("A missing end marker and a run beyond the last pixel are errors")
    func ends() throws {
        var data = try Golden.file("black")
        #expect(data.dropFirst(14).dropLast(8).elementsEqual([0xFD, 0xFD, 0xC1]))
        data[16] = 0xC2
        #expect(throws: ImageCodecError.corrupt("a run beyond the last pixel")) {
            try codec.decode(data, minimumSize: nil)
        }
        data[16] = 0xC1
        data[data.count - 1] = 0
        #expect(throws: ImageCodecError.corrupt("no end marker after the last pixel")) {
            try codec.decode(data, minimumSize: nil)
        }
    }
}
