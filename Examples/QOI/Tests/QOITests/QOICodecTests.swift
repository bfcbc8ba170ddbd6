import Foundation
import Kingfisher
import KingfisherTestSupport
import QOI
import Testing

@Suite("QOI files") struct QOICodecTests {
    private let codec = QOICodec()

    @Test("Pixels are Pillow's", arguments: Golden.names) func decodes(name: String) throws {
        let data = try Golden.file(name)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(pixels.samples == (try Golden.pixels(name)))
        let header = try codec.header(of: data)
        #expect(header.size == pixels.size && header.hasAlpha == !pixels.format.isOpaque)
    }

    @Test("Files are Pillow's, byte for byte", arguments: Golden.names) func encodes(name: String) throws {
        let data = try Golden.file(name)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(try codec.encode(pixels, options: ImageEncodingOptions()) == data)
    }

    @Test(
        "Images of other formats come back as they were, as 8-bit RGBA",
        arguments: ["PNG/gray8.png", "PNG/rgba16.png", "PNG/grayalpha8.png", "JPEG/orientation-6.jpg"])
    func otherLayouts(name: String) throws {
        let image = try #require(Image(data: Fixtures.data(named: name)))
        let pixels = try #require(image.pixels)
        let format = pixels.format.isOpaque ? PixelFormat.rgba8Opaque : .rgba8Straight
        let data = try image.encoded(using: QOICodec())
        #expect(try codec.decode(data, minimumSize: nil).samples == pixels.converted(to: format).samples)
    }

    @Test("Every cut is an error", arguments: Golden.names) func cuts(name: String) throws {
        let data = try Golden.file(name)
        for count in 0..<data.count {
            #expect(throws: count < 4 ? .unknownFormat : ImageCodecError.truncated, "\(count) bytes") {
                try codec.decode(data.prefix(count), minimumSize: nil)
            }
        }
    }

    @Test("A flipped bit gives an image of the header's size, or an error") func flips() throws {
        let data = try Golden.file("rgba")
        var errors = 0
        for offset in data.indices {
            // All of the header's, and one of each byte behind it.
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
        // Those of magic and size, and of the end marker, at the least.
        #expect(errors >= 8 * 12 + 8)
    }

    @Test("A header that promises too much is refused before memory is taken") func lies() throws {
        var data = try Golden.file("rgb")
        data.replaceSubrange(4..<12, with: [0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10])
        #expect(throws: ImageCodecError.truncated) { try codec.decode(data, minimumSize: nil) }
        data.replaceSubrange(4..<12, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: ImageCodecError.tooLarge(width: 4_294_967_295, height: 4_294_967_295)) {
            try codec.decode(data, minimumSize: nil)
        }
    }

    @Test("What is behind the pixels must be the end marker, and a run ends with the image")
    func ends() throws {
        var data = try Golden.file("black")
        #expect(data.dropFirst(14).dropLast(8).elementsEqual([0xFD, 0xFD, 0xC1]))
        data[16] = 0xC2
        #expect(throws: ImageCodecError.corrupt("a run beyond the last pixel")) {
            try codec.decode(data, minimumSize: nil)
        }
        data[16] = 0xC1
        data[data.count - 1] = 0
        #expect(throws: ImageCodecError.corrupt("no end marker behind the last pixel")) {
            try codec.decode(data, minimumSize: nil)
        }
    }
}
