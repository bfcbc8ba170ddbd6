import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherImage

/// `ImageEncodingOptions.maximumBytes`.
@Suite struct EncodingSearchTests {
    private func photo() throws -> Image {
        try Image.decode(Fixtures.data(named: "Photos/coffee.jpg"))
    }

    @Test(
        "A JPEG within the limit is nearly as large as the limit", arguments: [0.9, 0.5, 0.3, 0.15, 0.1],
        ["coffee", "astronaut", "chelsea", "grass"])
    func jpeg(share: Double, name: String) throws {
        let photo = try Image.decode(Fixtures.data(named: "Photos/\(name).jpg"))
        // Fixed, because the size jumps where chroma loses resolution.
        var options = ImageEncodingOptions(quality: 0.95, chroma: .quarter)
        let limit = Int(Double(try photo.encoded(as: .JPEG, options: options).count) * share)
        options.maximumBytes = limit
        let file = try photo.encoded(as: .JPEG, options: options)
        // libjpeg's sizes have steps of up to a quarter.
        #expect(file.count <= limit && file.count > limit * 75 / 100)
        #expect(try file == photo.encoded(as: .JPEG, options: options))
    }

    @Test("A file that fits is encoded once, at the quality of the options")
    func fits() throws {
        let plain = try photo().encoded(as: .JPEG, options: ImageEncodingOptions(quality: 0.7))
        let options = ImageEncodingOptions(quality: 0.7, maximumBytes: plain.count)
        var counter = Counting()
        #expect(try counter.encoded(photo(), options) == plain)
        #expect(counter.count == 1)
    }

    @Test("At most six encodes; the error names the smallest file")
    func unreachable() throws {
        var counter = Counting()
        #expect(throws: ImageCodecError.tooManyBytes(smallest: try smallest(), limit: 700)) {
            try counter.encoded(photo(), ImageEncodingOptions(quality: 0.9, maximumBytes: 700))
        }
        #expect(counter.count == 6)
        let message = ImageCodecError.tooManyBytes(smallest: 900, limit: 700).localizedDescription
        #expect(message == "the image cannot be encoded in 700 bytes; the smallest file has 900")
    }

    private func smallest() throws -> Int {
        try photo().encoded(as: .JPEG, options: ImageEncodingOptions(quality: 0)).count
    }

    @Test("A limit that only the lowest quality reaches is reached")
    func lowest() throws {
        let least = try smallest()
        var counter = Counting()
        let file = try counter.encoded(photo(), ImageEncodingOptions(maximumBytes: least))
        #expect(file.count == least && counter.count <= 6)
    }

    @Test("PNG uses fewer colours only if a palette is allowed")
    func png() throws {
        let plain = try photo().encoded(as: .PNG)
        let limit = plain.count / 6
        #expect(throws: ImageCodecError.tooManyBytes(smallest: plain.count, limit: limit)) {
            try photo().encoded(as: .PNG, options: ImageEncodingOptions(maximumBytes: limit))
        }
        let file = try photo().encoded(
            as: .PNG, options: ImageEncodingOptions(maximumColors: 256, maximumBytes: limit))
        #expect(file.count <= limit && file.count > limit / 2)
    }

    @Test("Metadata counts")
    func metadata() throws {
        var blocks = ImageMetadataBlocks()
        blocks.xmp = Data(repeating: 0x20, count: 5_000)
        let plain = try photo().encoded(as: .JPEG, options: ImageEncodingOptions(quality: 0.8))
        let options = ImageEncodingOptions(
            quality: 0.8, maximumBytes: plain.count, metadata: blocks)
        let file = try photo().encoded(as: .JPEG, options: options)
        #expect(file.count <= plain.count)
        #expect(try JPEGCodec().metadataBlocks(of: file).xmp?.count == 5_000)
    }

    @Test("Values out of range", arguments: [Double.nan, -1, 7])
    func outOfRange(quality: Double) throws {
        let options = ImageEncodingOptions(quality: quality, maximumBytes: 20_000)
        #expect(try photo().encoded(as: .JPEG, options: options).count <= 20_000)
        #expect(throws: ImageCodecError.tooManyBytes(smallest: try smallest(), limit: -1)) {
            try photo().encoded(as: .JPEG, options: ImageEncodingOptions(quality: 1, maximumBytes: -1))
        }
    }

    /// Counts encodes.
    private struct Counting {
        private(set) var count = 0

        mutating func encoded(_ image: Image, _ options: ImageEncodingOptions) throws -> Data {
            var search = EncodingSearch(maximumBytes: options.maximumBytes ?? .max)
            let codec = JPEGCodec()
            let pixels = try #require(image.pixels)
            return try search.run(options, with: codec.capabilities) { options throws(ImageCodecError) in
                count += 1
                return try codec.encode(pixels, options: options)
            }
        }
    }
}
