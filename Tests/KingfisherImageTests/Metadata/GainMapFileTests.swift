import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Gain maps of JPEG files are found, changed with their base image, and written again.
@Suite struct GainMapFileTests {
    private static let names = [
        "ultra-hdr", "channels", "iso", "common", "both", "p3-gray", "p3-color",
    ]
    private let codec = JPEGCodec()

    private func decoded(_ map: GainMap) throws -> PixelBuffer {
        try codec.decode(map.file, minimumSize: nil)
    }

    @Test(arguments: names)
    func `A gain map is read in every form, as the reference says`(_ name: String) throws {
        let reference = try #require(try GainMapReference.read().files[name])
        let map = try #require(GainMap(of: GainMapReference.file(name)))
        #expect(map.forms.map(\.rawValue) == reference.forms)
        #expect(abs(map.capacity - (reference.capacity ?? 0)) < 0.001)
        let isTurned = name == "both"
        let size = PixelSize(width: reference.size[0], height: reference.size[1])
        #expect(map.size == (isTurned ? size.swapped : size))
        guard !isTurned, name != "p3-color" else { return }
        let levels = try decoded(map).allSamples
        let colors = reference.levels.count == size.area ? levels : levels.withoutFourth
        #expect(try #require(PixelDifference(colors, reference.levels)).largest <= 9)
    }

    @Test func `A gain map of libultrahdr is read`() throws {
        let map = try #require(GainMap(of: GainMapReference.file("libultrahdr")))
        #expect(map.forms == [.iso] && map.size == PixelSize(width: 48, height: 32))
    }

    @Test func `Binary parameters are written as they are, and a common denominator as fractions`() throws {
        let file = try GainMapReference.file("iso")
        let bytes = try #require(GainMap(of: file)?.parameters).bytes
        #expect(bytes.count == 21 + 3 * 40 && file.range(of: bytes) != nil)
        let common = try #require(GainMap(of: GainMapReference.file("common"))?.parameters)
        let again = common.bytes.withUnsafeBytes { GainMapParameters(ByteReader($0)) }
        #expect(again == common && common.bytes[4] == 0x40 && common.bytes.count == 61)
    }

    @Test func `The parameters of XMP become fractions with the same values`() throws {
        let attributes = try #require(GainMap(of: GainMapReference.file("channels"))?.attributes)
        let parameters = try #require(GainMapParameters(attributes))
        #expect(parameters.usesBaseColors && parameters.capacity == 2.5)
        // The headrooms, then five fractions for each channel: the minimum of the second one is -0.1.
        let bytes = [UInt8](parameters.bytes)
        #expect(bytes[4] == 0xC0 && bytes.count == 21 + 120)
        #expect(
            bytes[61..<69]
                == (UInt32(bitPattern: -100_000).bigEndianBytes + UInt32(1_000_000).bigEndianBytes)[...])
    }

    @Test(arguments: names)
    func `Removing metadata keeps the gain map, without its own metadata`(_ name: String) throws {
        let file = try GainMapReference.file(name)
        let map = try #require(GainMap(of: file))
        for policy in [MetadataPolicy.strip, .keepCopyright] {
            let edited = try policy.applied(toUnchanged: file, by: codec)
            #expect(GainMapJPEG.gainMap(in: edited) != nil)
            #expect(GainMap(of: edited) == map)
            #expect(
                try codec.decode(edited, minimumSize: nil).packedBytes
                    == codec.decode(file, minimumSize: nil).packedBytes)
            #expect(try codec.header(of: edited).orientation == codec.header(of: file).orientation)
            for text in ["GPSLatitude", "dc:source", "33,51.4"] { #expect(!edited.contains(text: text)) }
        }
    }

    @Test func `The location is removed also from the gain map's own EXIF and XMP`() throws {
        let file = try GainMapReference.file("both")
        let map = try #require(GainMapJPEG.gainMap(in: file))
        #expect(try ImageMetadata(of: map).location?.latitude == 33.5 && map.contains(text: "33,51.4N"))
        let edited = try MetadataPolicy.keepWithoutLocation.applied(toUnchanged: file, by: codec)
        let kept = try #require(GainMapJPEG.gainMap(in: edited))
        #expect(try ImageMetadata(of: kept).location == nil && !edited.contains(text: "33,51.4N"))
        #expect(GainMap(of: edited) == GainMap(of: file))
    }

    @Test(arguments: names, [Image.Orientation.left, .up, .downMirrored])
    func `A gain map has the orientation of its base image, also after an edit`(
        _ name: String, _ orientation: Image.Orientation
    ) throws {
        let edited = try codec.settingOrientation(orientation, of: GainMapReference.file(name))
        let map = try #require(GainMap(of: edited))
        let base = try codec.header(of: edited).displaySize
        #expect(try codec.header(of: map.file).orientation == orientation)
        #expect((base.width > base.height) == (map.size.width > map.size.height))
        #expect(GainMapJPEG.gainMap(in: edited) != nil)
    }

    // MARK: Malformed files

    /// The offset of the entry of the second image in the index.
    private func entry(in file: Data) throws -> Int {
        try #require(file.range(of: Data("MPF\0".utf8))).upperBound + 50 + 16
    }

    @Test func `Stated lengths are not used, and an index is not needed`() throws {
        let file = try GainMapReference.file("iso")
        let map = try #require(GainMap(of: file))
        let entry = try entry(in: file)
        for length in [UInt32(0), 1, 0x7FFF_FFFF, .max] {
            var changed = file
            changed.replaceSubrange(entry + 4..<entry + 8, with: length.bigEndianBytes)
            #expect(GainMap(of: changed) == map)
        }
        // The gain map is still directly after the base image.
        for offset in [UInt32(0), 1, 8, UInt32(file.count), 0x7FFF_FFFF, .max] {
            var changed = file
            changed.replaceSubrange(entry + 8..<entry + 12, with: offset.bigEndianBytes)
            #expect(GainMap(of: changed) == map)
        }
    }

    @Test func `A gain map that is elsewhere is found by the index only`() throws {
        let file = try GainMapReference.file("iso")
        let second = try #require(GainMapJPEG.gainMap(in: file))
        var moved = Data(file.dropLast(second.count)) + Data("padding".utf8) + second
        #expect(GainMap(of: moved) == nil)
        let entry = try entry(in: file)
        let offset = file[entry + 8..<entry + 12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        moved.replaceSubrange(entry + 8..<entry + 12, with: (offset + 7).bigEndianBytes)
        #expect(GainMap(of: moved) == GainMap(of: file))
    }

    @Test(arguments: ["ultra-hdr", "iso"])
    func `A truncated gain map is none, and its base image is whole`(_ name: String) throws {
        let file = try GainMapReference.file(name)
        let second = try #require(GainMapJPEG.gainMap(in: file))
        let pixels = try codec.decode(file, minimumSize: nil).packedBytes
        for missing in [1, 2, second.count / 2, second.count - 3, second.count] {
            let part = Data(file.dropLast(missing))
            #expect(GainMap(of: part) == nil)
            #expect(try codec.decode(part, minimumSize: nil).packedBytes == pixels)
        }
    }

    @Test func `An index of the base image itself, and of many images, has no gain map`() throws {
        let file = try GainMapReference.file("iso")
        let second = try #require(GainMapJPEG.gainMap(in: file))
        // Both images are the base image, which has the prefix of the standard.
        let base = Data(file.dropLast(second.count))
        #expect(GainMap(of: base) == nil && GainMap(of: base + base) == nil)
        var entries = Data()
        for _ in 0..<2_000 { entries += Data(count: 4) + Data(UInt32(9).bigEndianBytes) + Data(count: 8) }
        let head: [UInt8] =
            Array("MPF\0MM\0*".utf8) + UInt32(8).bigEndianBytes + [0, 1, 0xB0, 2, 0, 7]
            + UInt32(entries.count).bigEndianBytes + UInt32(26).bigEndianBytes + [0, 0, 0, 0]
        let index = Data(head) + entries
        #expect(GainMap(of: JPEGPieces.inserted(JPEGPieces.segment(0xE2, index), into: base)) == nil)
    }

    @Test func `Parameters that mean nothing are none`() throws {
        let bytes = try #require(GainMap(of: GainMapReference.file("iso"))?.parameters).bytes
        func parameters(_ change: (inout Data) -> Void) -> GainMapParameters? {
            var changed = bytes
            change(&changed)
            return changed.withUnsafeBytes { GainMapParameters(ByteReader($0)) }
        }
        #expect(parameters { _ in } != nil)
        for length in [0, 4, 5, 20, bytes.count - 1] { #expect(parameters { $0 = $0.prefix(length) } == nil) }
        // Another version, a denominator of 0, a minimum above the maximum, a gamma of 0.
        #expect(parameters { $0[1] = 1 } == nil)
        #expect(parameters { $0.replaceSubrange(9..<13, with: [0, 0, 0, 0]) } == nil)
        #expect(parameters { $0.replaceSubrange(21..<25, with: [0x7F, 0, 0, 0]) } == nil)
        #expect(parameters { $0.replaceSubrange(37..<41, with: [0, 0, 0, 0]) } == nil)
    }

    @Test(
        arguments: [
            ("hdrgm:Version=\"1.0\" hdrgm:G", "hdrgm:Version=\"2.0\" hdrgm:G"),
            ("GainMapMax=\"2.3000002\"", "GainMapMax=\"inf      \""),
            ("GainMapMax=\"2.3000002\"", "GainMapMax=\"-2.300000\""), ("Gamma=\"1.5\"", "Gamma=\"0.0\""),
            ("HDRCapacityMax=\"2.3\"", "HDRCapacityXxx=\"2.3\""),
            ("GainMapMin=\"-0.25\"", "GainMapMin=\"0x1p2\""),
        ])
    func `XMP whose numbers mean nothing is none`(_ text: String, _ other: String) throws {
        var file = try GainMapReference.file("ultra-hdr")
        let place = try #require(file.range(of: Data(text.utf8), options: .backwards))
        file.replaceSubrange(place, with: Data(other.utf8))
        #expect(GainMap(of: file) == nil)
        #expect(try ImageMetadata(of: file).hasGainMap)
    }

    // MARK: Writing

    @Test func `A gain map is added to the properties of the base image's XMP`() throws {
        let map = try #require(GainMap(of: GainMapReference.file("ultra-hdr")))
        let plain = try codec.encode(
            Samples.buffer(6, .gray8, (0..<24).map { $0 }), options: ImageEncodingOptions())
        var blocks = ImageMetadataBlocks()
        blocks.xmp = GainMapDirectory.packet("<rdf:Description xmlns:dc=\"d\" dc:title=\"sea\"/>")
        for file in [plain, try codec.replacingMetadata(of: plain, with: blocks)] {
            let made = try codec.adding(map, to: file)
            let second = try #require(GainMapJPEG.gainMap(in: made))
            let packet = String(decoding: try #require(ImageMetadata(of: made).xmp), as: UTF8.self)
            #expect(
                packet.contains("Item:Length=\"\(second.count)\"") && packet.contains("hdrgm:Version=\"1.0\"")
            )
            #expect(packet.contains("dc:title=\"sea\"") == (file != plain))
            #expect(GainMap(of: made) == map)
            #expect(
                try codec.decode(made, minimumSize: nil).packedBytes
                    == codec.decode(file, minimumSize: nil).packedBytes)
        }
        blocks.xmp = Data(repeating: 0x20, count: 65_000) + Data("</rdf:RDF>".utf8)
        let long = try codec.replacingMetadata(of: plain, with: blocks)
        #expect(throws: ImageCodecError.tooMuchMetadata) { try codec.adding(map, to: long) }
    }

    @Test func `A gain map of another format or orientation is refused`() throws {
        let turned = try #require(GainMap(of: GainMapReference.file("both")))
        let plain = try codec.encode(
            Samples.buffer(6, .gray8, (0..<24).map { $0 }), options: ImageEncodingOptions())
        #expect(throws: ImageCodecError.self) { try codec.adding(turned, to: plain) }
        let png = try PNGCodec().encode(
            Samples.buffer(6, .gray8, (0..<24).map { $0 }), options: ImageEncodingOptions())
        let other = try #require(
            GainMap(file: png, attributes: turned.attributes, parameters: nil))
        #expect(throws: ImageCodecError.self) { try codec.adding(other, to: plain) }
        #expect(throws: ImageCodecError.self) { try PNGCodec().adding(turned, to: png) }
        let file = try GainMapReference.file("both")
        #expect(throws: ImageCodecError.unsupported("a second gain map")) {
            try codec.adding(turned, to: file)
        }
    }
}

extension [Int] {
    fileprivate var withoutFourth: [Int] { enumerated().filter { $0.offset % 4 < 3 }.map(\.element) }
}
