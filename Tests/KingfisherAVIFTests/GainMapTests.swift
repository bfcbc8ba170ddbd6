import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherAVIF

/// Gain maps of AVIF files (`tmap`), with any version of libavif.
@Suite struct GainMapTests {
    private let codec = AVIFCodec()

    init() { ImageCodecs.register(.avif) }

    private func fixture(_ name: String) throws -> Data { try Fixtures.data(named: "GainMaps/\(name)") }

    @Test(arguments: ["gray.avif", "color.avif"])
    func `A gain map of libavif 1.2 has the parameters and levels that libavif finds`(
        _ name: String
    ) throws {
        let file = try fixture(name)
        let reference = try #require(try GainMapReference.read().files[name])
        let map = try #require(GainMap(of: file))
        #expect([map.size.width, map.size.height] == reference.size && map.forms == [.iso])
        #expect(abs(map.capacity - (reference.capacity ?? 0)) < 0.001)
        #expect(try ImageMetadata(of: file).hasGainMap)
        let pixels = try #require(Image.decode(map.file).pixels)
        let levels = pixels.allSamples.enumerated().filter {
            name == "gray.avif" ? $0.offset % 4 == 0 : $0.offset % 4 < 3
        }.map(\.element)
        #expect(try #require(PixelDifference(levels, reference.levels)).largest <= 3)
    }

    @Test(arguments: ["gray.avif", "color.avif"], ["JPEG", "AVIF"])
    func `A gain map survives steps and formats, and the base image has the same pixels`(
        _ name: String, _ format: String
    ) throws {
        let file = try fixture(name)
        let target = try #require(ImageCodecs.codec(for: ImageFormat(name: format)))
        let processor = try #require(["cut:8,8,24x16", "rotate:90"].map { try ProcessingStep($0) }.processor)
        let image = try #require(
            processor.process(item: .data(file), options: KingfisherParsedOptionsInfo(nil)))
        var options = ImageEncodingOptions(quality: 0.9)
        let plain = try image.encoded(using: target, options: options)
        options.gainMap = try GainMap(of: file, for: image, after: processor, in: target)
        let made = try image.encoded(using: target, options: options)
        let (before, after) = (try #require(GainMap(of: file)), try #require(GainMap(of: made)))
        let half = PixelSize(width: before.size.height / 2, height: before.size.width / 2)
        #expect(after.size == half && after.capacity == before.capacity)
        #expect(try Image.decode(made).pixels?.packedBytes == Image.decode(plain).pixels?.packedBytes)
        // The part of the source, turned.
        let (whole, part) = (try Image.decode(before.file), try Image.decode(after.file))
        let scale = before.size.width / 12
        let cropped = whole.kf.crop(
            to: CGRect(x: 2 * scale, y: 2 * scale, width: 6 * scale, height: 4 * scale))
        let expected = cropped.kf.rotated(byQuarterTurns: 1)
        #expect(try #require(PixelDifference(part.pixels, expected.pixels)).largest <= 12)
    }

    @Test(arguments: ["ultra-hdr.jpg", "iso.jpg", "both.jpg", "channels.jpg"])
    func `A gain map of a JPEG is written into an AVIF`(_ name: String) throws {
        let file = try fixture(name)
        let image = try Image.decode(file)
        let map = try #require(try GainMap(of: file, for: image, after: nil, in: codec))
        let options = ImageEncodingOptions(quality: 0.8)
        let plain = try codec.encode(#require(image.kf.normalized.pixels), options: options)
        let made = try codec.adding(map, to: plain)
        let written = try #require(GainMap(of: made))
        #expect(written.forms == [.iso] && abs(written.capacity - map.capacity) < 1e-6)
        #expect(written.size == GainMap(of: file)?.size)
        #expect(try Image.decode(made).pixels?.packedBytes == Image.decode(plain).pixels?.packedBytes)
    }

    @Test func `Transparent base images keep their alpha`() throws {
        let map = try #require(
            try GainMap(
                of: fixture("gray.avif"), for: Image.decode(fixture("gray.avif")), after: nil, in: codec))
        let pixels = try TestHelpers.TestImages.gradients(48, 32, alpha: true)
        let plain = try codec.encode(pixels, options: ImageEncodingOptions(quality: 0.8))
        let made = try codec.adding(map, to: plain)
        #expect(try Image.decode(made).pixels?.packedBytes == Image.decode(plain).pixels?.packedBytes)
        #expect(GainMap(of: made) != nil)
        // A file that has one already is refused.
        #expect(throws: ImageCodecError.self) { try codec.adding(map, to: fixture("gray.avif")) }
    }

    @Test func `Malformed items have no gain map, and the base image stays`() throws {
        let file = try fixture("gray.avif")
        let expected = try Image.decode(file).pixels?.packedBytes
        func changed(_ text: String, by offset: Int, to bytes: [UInt8]) throws -> Data {
            var file = file
            let place = try #require(file.range(of: Data(text.utf8))).lowerBound + offset
            file.replaceSubrange(place..<place + bytes.count, with: bytes)
            return file
        }
        let files = [
            // Inputs: the gain map alone, itself, an item that is missing, and too many.
            try changed("dimg", by: 8, to: [0, 3, 0, 3]), try changed("dimg", by: 8, to: [0, 1, 0, 1]),
            try changed("dimg", by: 8, to: [0, 1, 0, 9]), try changed("dimg", by: 6, to: [0xFF, 0xFF]),
            // The place and the length of the parameters, and no brand.
            try changed("iloc", by: 32, to: [0x7F, 0xFF, 0xFF, 0xFF]),
            try changed("iloc", by: 36, to: [0x7F, 0xFF, 0xFF, 0xFF]),
            try changed("iloc", by: 36, to: [0, 0, 0, 9]),
            try changed("tmap", by: 0, to: Array("none".utf8)),
        ]
        for file in files {
            #expect(GainMap(of: file) == nil)
            if let pixels = try? Image.decode(file).pixels { #expect(pixels.packedBytes == expected) }
        }
        for length in stride(from: 1, to: file.count, by: 7) { _ = GainMap(of: Data(file.prefix(length))) }
    }
}
