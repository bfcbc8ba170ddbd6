import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// `MetadataPolicy.keepCopyright`: of encoded files, of unchanged files, and the blocks that it writes.
@Suite struct CopyrightPolicyTests {
    /// Its EXIF has an artist, a copyright, an orientation, a location, a thumbnail and the camera.
    private static let camera = "Metadata/camera.jpg"
    private static let artist = Data("Ada Lovelace\0".utf8)
    private static let copyright = Data("2026 Ada Lovelace\0".utf8)
    private static let iptc = IPTC.set(2, 80, "Ada Lovelace") + IPTC.set(2, 116, "2026")

    enum IPTC {
        static func set(_ record: UInt8, _ number: UInt8, _ text: String) -> Data {
            Data([0x1C, record, number, 0, UInt8(text.utf8.count)]) + Data(text.utf8)
        }
    }

    /// A big-endian TIFF file of texts, and an orientation before them; odd texts are padded.
    private static func tiff(orientation: UInt8? = nil, _ texts: (tag: UInt16, text: Data)...) -> Data {
        let count = texts.count + (orientation == nil ? 0 : 1)
        var file = Data("MM\0*".utf8) + UInt32(8).bigEndianBytes + UInt16(count).bigEndianBytes
        if let orientation { file += [1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0] }
        var values = Data()
        for (tag, text) in texts {
            file += tag.bigEndianBytes + [0, 2] + UInt32(text.count).bigEndianBytes
            if text.count <= 4 {
                file += text + Data(count: 4 - text.count)
            } else {
                file += UInt32(8 + 2 + count * 12 + 4 + values.count).bigEndianBytes
                values += text + Data(count: text.count % 2)
            }
        }
        return file + Data(count: 4) + values
    }

    /// `bare.jpg`, which has no metadata, with blocks.
    private static func file(_ change: (inout ImageMetadataBlocks) -> Void) throws -> Data {
        var blocks = ImageMetadataBlocks()
        change(&blocks)
        let bare = try Fixtures.data(named: "Metadata/bare.jpg")
        return try JPEGCodec().replacingMetadata(of: bare, with: blocks)
    }

    private static func kept(_ original: Data, as format: ImageFormat = .JPEG) throws -> ImageMetadataBlocks {
        let encoded = try Image.decode(original).encoded(as: format)
        let policy = MetadataPolicy.keepCopyright
        return try ImageMetadataBlocks(of: try #require(policy.applied(to: encoded, original: original)))
    }

    @Test(arguments: [ImageFormat.JPEG, .PNG, .APNG])
    func `An encoded file has four fields of a photo with camera, location and thumbnail`(
        _ format: ImageFormat
    ) throws {
        let original = try Fixtures.data(named: Self.camera)
        let before = try ImageMetadata(of: original)
        #expect(before.location != nil && before.orientation == .right && before.xmp != nil)
        let encoded = try Image.decode(original).encoded(as: format)
        let policy = MetadataPolicy.keepCopyright
        let file = try #require(policy.applied(to: encoded, original: original))
        let blocks = try ImageMetadataBlocks(of: file)
        #expect(blocks.exif == Self.tiff((0x013B, Self.artist), (0x8298, Self.copyright)))
        #expect(blocks.iptc == (format == .JPEG ? Self.iptc : nil), "PNG has no place for IPTC")
        #expect(blocks.xmp == nil && blocks.extendedXMP == nil && blocks.profile == nil)
        let after = try ImageMetadata(of: file)
        #expect(
            after.orientation == .up && after.location == nil && after.pixelSize == before.pixelSize.turned)
        for text in ["GPS", "Kingfisher", "Sydney", "Gradient"] { #expect(!file.contains(text: text)) }
        #expect(try Image.decode(file).pixels?.packedBytes == Image.decode(encoded).pixels?.packedBytes)
    }

    @Test func `An unchanged JPEG keeps the fields, its orientation and its profile`() throws {
        let original = try Fixtures.data(named: Self.camera)
        let policy = MetadataPolicy.keepCopyright
        let file = try #require(policy.applied(to: original, original: original))
        let blocks = try ImageMetadataBlocks(of: file)
        #expect(
            blocks.exif == Self.tiff(orientation: 6, (0x013B, Self.artist), (0x8298, Self.copyright)))
        #expect(blocks.iptc == Self.iptc && blocks.xmp == nil)
        #expect(blocks.profile == (try ImageMetadataBlocks(of: original).profile) && blocks.profile != nil)
        #expect(JPEGPieces.scans(of: file) == JPEGPieces.scans(of: original))
        #expect(try ImageMetadata(of: file).orientation == .right)
        for text in ["GPS", "Sydney", "Gradient", "50 mm"] { #expect(!file.contains(text: text)) }
        #expect(policy.applied(to: file, original: file) == file, "applied again, nothing changes")
    }

    @Test(arguments: ["Metadata/camera.png", "Metadata/xmp.gif", "Orientation/exif-6.png"])
    func `Unchanged files of other formats lose everything else`(_ name: String) throws {
        let original = try Fixtures.data(named: name)
        let policy = MetadataPolicy.keepCopyright
        let file = try #require(policy.applied(to: original, original: original))
        let (before, after) = (try ImageMetadata(of: original), try ImageMetadata(of: file))
        #expect(after.exif?.artist == before.exif?.artist && after.exif?.copyright == before.exif?.copyright)
        #expect(after.exif?.make == nil && after.location == nil && after.xmp == nil)
        #expect(after.orientation == before.orientation)
        #expect(try Image.decode(file).pixels?.packedBytes == Image.decode(original).pixels?.packedBytes)
    }

    @Test func `An unchanged file that cannot be rewritten is refused`() {
        let file = Data("no image".utf8)
        #expect(MetadataPolicy.keepCopyright.applied(to: file, original: file) == nil)
    }

    @Test(arguments: [ImageFormat.JPEG, .PNG])
    func `An original without names gives a file without metadata`(_ format: ImageFormat) throws {
        let texts = [" \0", "  \0\0", "\0"].map { Data($0.utf8) }
        for original in [
            try Fixtures.data(named: "Metadata/bare.jpg"),
            try Self.file { $0.exif = JPEGPieces.tiff([(0x010F, 2, 4, 0x0043_4241), (0x0112, 3, 1, 6)]) },
            try Self.file { $0.exif = Self.tiff((0x013B, texts[0]), (0x8298, texts[1])) },
            try Self.file { $0.exif = Self.tiff((0x013B, texts[2])) },
            try Self.file { $0.iptc = IPTC.set(2, 80, "") + IPTC.set(2, 116, " ") + IPTC.set(2, 5, "sea") },
            try Self.file { $0.xmp = Data("<a:title xmlns:a='http://purl.org/dc/elements/1.1/'/>".utf8) },
        ] {
            let encoded = try Image.decode(original).encoded(as: format)
            #expect(MetadataPolicy.keepCopyright.applied(to: encoded, original: original) == encoded)
        }
    }

    @Test func `Texts that are not ASCII are UTF-8 in each block`() throws {
        let name = "Zoë 李"
        let text = Data((name + "\0").utf8)
        let rights = #"<rdf:li xml:lang="x-default">© \#(name)</rdf:li>"#
        let original = try Self.file {
            $0.exif = Self.tiff((0x013B, text))
            $0.iptc = IPTC.set(2, 80, name)
            $0.xmp = XMPPacket.with(rights: rights)
        }
        let blocks = try Self.kept(original)
        #expect(blocks.exif == Self.tiff((0x013B, text)))
        #expect(blocks.iptc == IPTC.set(1, 90, "\u{1B}%G") + IPTC.set(2, 80, name))
        #expect(blocks.xmp == XMPPacket.with(rights: rights))
        #expect(try Self.kept(original, as: .PNG).xmp == XMPPacket.with(rights: rights))
    }

    @Test func `Latin-1 becomes UTF-8`() throws {
        let original = try Self.file {
            $0.exif = Self.tiff((0x013B, Data([0x5A, 0x6F, 0xEB, 0])))
            $0.iptc = Data([0x1C, 2, 80, 0, 3, 0x5A, 0x6F, 0xEB])
        }
        let metadata = try Self.kept(original)
        #expect(metadata.exif == Self.tiff((0x013B, Data("Zoë\0".utf8))))
        #expect(metadata.iptc == IPTC.set(1, 90, "\u{1B}%G") + IPTC.set(2, 80, "Zoë"))
    }

    @Test(arguments: [
        ("Ada\0", "Ada\0"), ("Ada \0Ed\0", "Ada\0Ed\0"), (" \0Ed\0", " \0Ed\0"), ("A\0\0B\0", "A\0"),
    ])
    func `EXIF's copyright has a part of the photographer and one of the editor`(
        text: String, kept: String
    ) throws {
        let original = try Self.file { $0.exif = Self.tiff((0x8298, Data(text.utf8))) }
        #expect(try Self.kept(original).exif == Self.tiff((0x8298, Data(kept.utf8))))
    }

    @Test func `Every by-line is kept, and the first notice`() throws {
        let bylines = IPTC.set(2, 80, "Ada") + IPTC.set(2, 80, "Grace")
        let original = try Self.file {
            $0.iptc =
                IPTC.set(2, 116, "2026") + bylines + IPTC.set(2, 116, "1999") + IPTC.set(2, 90, "Sydney")
        }
        #expect(try Self.kept(original).iptc == bylines + IPTC.set(2, 116, "2026"))
    }
}

extension PixelSize {
    fileprivate var turned: PixelSize { PixelSize(width: height, height: width) }
}
