import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Removing the location from JPEG files.
@Suite struct JPEGLocationTests {
    private func bytes(ofCoordinates file: Data, _ name: String) -> [String] {
        var found: [String] = []
        for fraction in MetadataReference.coordinates(in: name == "multiple.jpg" ? "camera.jpg" : name) {
            let little = fraction.map { JPEGPieces.little($0) }
            for bytes in [little[0] + little[1], Data((little[1] + little[0]).reversed())] {
                if file.range(of: bytes) != nil { found.append("\(fraction)") }
            }
        }
        return found
            + ["33,51", "151,12", "GPSL", "2026:03:29\0", "12.9178"].filter { file.contains(text: $0) }
    }

    @Test(
        "No coordinate remains in EXIF, XMP, thumbnails and other images; all else does",
        arguments: [
            "camera.jpg", "little.jpg", "north-west.jpg", "extended.jpg", "multiple.jpg",
        ])
    func removed(name: String) throws {
        let file = try Fixtures.data(named: "Metadata/\(name)")
        #expect(bytes(ofCoordinates: file, name).count >= 2)
        let edited = try JPEGMetadataEdit.removeLocation.applied(to: file)
        #expect(bytes(ofCoordinates: edited, name) == [])
        #expect(edited.count == file.count)
        #expect(JPEGPieces.scans(of: edited)?.count == JPEGPieces.scans(of: file)?.count)
        let (before, after) = (try ImageMetadata(of: file), try ImageMetadata(of: edited))
        #expect(after.location == nil)
        #expect(
            after.exif == before.exif && after.iptc == before.iptc && after.orientation == before.orientation)
        #expect(
            after.colorProfileName == before.colorProfileName && after.pixelDensity == before.pixelDensity)
        #expect(after.xmp?.count == before.xmp?.count)
        #expect(
            after.extendedXMP?.contains(text: "extension") == before.extendedXMP?.contains(text: "extension"))
        // Applying it again changes nothing.
        #expect(try JPEGMetadataEdit.removeLocation.applied(to: edited) == edited)
    }

    /// Where programs write EXIF and XMP besides their usual segments.
    enum Place: CaseIterable {
        case otherPadding, garbageBefore, second, twoSegments, textIdentifier, xmpInEXIF, flashPix, kodak
        case resourceEXIF, resourceXMP, resourceOverSegments, oddResources, oldPhotoshop
        case extensionThumbnail, comment, wideComment, afterTheImage, textAfterTheImage

        func file(_ tiff: Data, _ packet: Data, in plain: Data) -> Data {
            func inserted(_ segments: (UInt8, Data)...) -> Data {
                let segments = segments.map { JPEGPieces.segment($0.0, $0.1) }.reduce(Data(), +)
                return JPEGPieces.inserted(segments, into: plain)
            }
            func resource(_ number: UInt8, _ data: Data) -> Data {
                Data("8BIM".utf8) + [4, number, 0, 0] + UInt32(data.count).bigEndianBytes + data
                    + Data(count: data.count % 2)
            }
            let photoshop = Data("Photoshop 3.0\0".utf8)
            let exif = Data("Exif\0\0".utf8)
            let wide = Data("latitude 51".utf16.flatMap(\.bigEndianBytes))
            return switch self {
            case .otherPadding: inserted((0xE1, Data("Exif\0".utf8) + [0xFF] + tiff))
            case .garbageBefore: inserted((0xE1, Data("II".utf8) + exif + tiff))
            case .second: inserted((0xE1, exif + JPEGPieces.tiff([])), (0xE1, exif + tiff))
            case .twoSegments: inserted((0xE1, exif + tiff.prefix(60)), (0xE1, exif + tiff.dropFirst(60)))
            case .textIdentifier: inserted((0xE1, Data("XMP\0".utf8) + packet))
            case .xmpInEXIF: inserted((0xE1, exif + JPEGPieces.tiff([(700, 1, 9, 26)]) + packet))
            case .flashPix: inserted((0xE2, Data("FPXR\0\0\u{2}".utf8) + tiff))
            case .kodak: inserted((0xE3, Data("Meta\0\0".utf8) + tiff))
            case .resourceEXIF: inserted((0xED, photoshop + resource(4, Data([0x1C])) + resource(0x22, tiff)))
            case .resourceXMP: inserted((0xED, photoshop + resource(0x24, packet)))
            case .resourceOverSegments:
                inserted(
                    (0xED, photoshop + resource(0x22, tiff).prefix(60)),
                    (0xED, photoshop + resource(0x22, tiff).dropFirst(60)))
            case .oddResources:
                inserted((0xED, photoshop + resource(5, Data()) + Data([0]) + resource(0x22, tiff)))
            case .oldPhotoshop: inserted((0xED, Data("Adobe_Photoshop2.5:".utf8) + resource(0x22, tiff)))
            case .extensionThumbnail:
                inserted((0xE0, Data("JFXX\0\u{10}".utf8) + [0xFF, 0xD8] + JPEGPieces.exif(tiff)))
            case .comment: inserted((0xFE, Data("Latitude: 51.151 GPSL".utf8)))
            case .wideComment: inserted((0xFE, wide + Data("GPSL".utf8)))
            case .afterTheImage: plain + Data(count: 3) + tiff
            case .textAfterTheImage: plain + packet
            }
        }
    }

    @Test("No coordinate remains where programs write EXIF and XMP besides APP1", arguments: Place.allCases)
    func elsewhere(_ place: Place) throws {
        let camera = try Fixtures.data(named: "Metadata/camera.jpg")
        let blocks = try ImageMetadataBlocks(of: camera)
        let tiff = try #require(blocks.exif)
        let plain = try JPEGMetadataEdit.removeAll.applied(to: camera)
        let file = place.file(tiff, try #require(blocks.xmp), in: plain)
        #expect(bytes(ofCoordinates: plain, "camera.jpg") == [])
        #expect(!bytes(ofCoordinates: file, "camera.jpg").isEmpty)
        let edited = try JPEGMetadataEdit.removeLocation.applied(to: file)
        #expect(bytes(ofCoordinates: edited, "camera.jpg") == [])
        #expect(edited.count == file.count)
        #expect(JPEGPieces.scans(of: edited)?.prefix(100) == JPEGPieces.scans(of: plain)?.prefix(100))
        // Everything else in the EXIF block stays.
        let isText = [.comment, .wideComment, .textAfterTheImage, .resourceXMP, .textIdentifier, .xmpInEXIF]
            .contains(place)
        #expect(isText || edited.contains(text: "Kingfisher"))
        #expect(try JPEGMetadataEdit.removeLocation.applied(to: edited) == edited)
    }

    @Test("Application data without a location do not change")
    func unchanged() throws {
        let plain = try JPEGMetadataEdit.removeAll.applied(to: Fixtures.data(named: "Metadata/camera.jpg"))
        let iptc =
            Data("Photoshop 3.0\08BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, 14] + [0x1C, 2, 120, 0, 9]
            + Data("Latitude.".utf8)
        for (code, body) in [
            (0xED, iptc), (0xE2, Data("ICC_PROFILE\0latitude".utf8)), (0xFE, Data("II*\0GPS".utf8)),
            (0xE4, Data("any<rdf:RDF>".utf8)),
        ] {
            let file = JPEGPieces.inserted(JPEGPieces.segment(UInt8(code), body), into: plain)
            #expect(try JPEGMetadataEdit.removeLocation.applied(to: file) == file)
        }
    }

    @Test("Blocks for another file lose XMP coordinates inside EXIF")
    func blocks() throws {
        var blocks = ImageMetadataBlocks()
        blocks.exif =
            JPEGPieces.tiff([(700, 1, 9, 26)]) + Data("<rdf:RDF><e:GPSLatitude>1</e:GPSLatitude>".utf8)
        #expect(blocks.withoutLocation().exif?.contains(text: "Latitude") == false)
    }

    @Test("The entropy-coded bytes do not change", arguments: MetadataReference.jpegs)
    func pixels(_ reference: MetadataReference) throws {
        let file = try reference.data()
        let edited = try JPEGMetadataEdit.removeLocation.applied(to: file)
        guard reference.name != "multiple.jpg" else {
            // The second image has metadata of its own behind the first scan.
            let first = try Image.decode(file)
            #expect(try Image.decode(edited).pixels?.packedBytes == first.pixels?.packedBytes)
            return
        }
        #expect(JPEGPieces.scans(of: edited) == JPEGPieces.scans(of: file))
    }

    @Test("The images of a file with several keep their offsets")
    func multiple() throws {
        let file = try Fixtures.data(named: "Metadata/multiple.jpg")
        let edited = try JPEGMetadataEdit.removeLocation.applied(to: file)
        let starts = [0, try #require(file.dropFirst(4).range(of: Data([0xFF, 0xD8, 0xFF]))?.lowerBound)]
        for start in starts {
            let part = Data(edited[start...])
            #expect(try ImageMetadata(of: part).location == nil)
            #expect(try Image.decode(part).pixels?.width == 24)
        }
        #expect(try ImageMetadata(of: Data(file[starts[1]...])).location != nil)
    }

    @Test("The thumbnail can still be decoded and has no location")
    func thumbnail() throws {
        func thumbnail(_ file: Data) throws -> Data? {
            try file.reading { reader throws(ImageCodecError) in
                try JPEGFrameHeader(scanning: reader).thumbnail.map { Data($0.bytes) }
            }
        }
        let file = try Fixtures.data(named: "Metadata/camera.jpg")
        let before = try #require(try thumbnail(file))
        #expect(try ImageMetadata(of: before).location != nil)
        let edited = try JPEGMetadataEdit.removeLocation.applied(to: file)
        let after = try #require(try thumbnail(edited))
        #expect(try ImageMetadata(of: after).location == nil)
        #expect(try Image.decode(after).pixels?.packedBytes == Image.decode(before).pixels?.packedBytes)
    }

    @Test("A video after the image, and content credentials with a location, are refused")
    func refused() throws {
        let file = try Fixtures.data(named: "Metadata/camera.jpg")
        let video = file + Data([0, 0, 0, 24]) + Data("ftypmp42".utf8) + Data(count: 16)
        #expect(throws: ImageCodecError.unsupported("removing the location of a JPEG with a video after it"))
        {
            try JPEGMetadataEdit.removeLocation.applied(to: video)
        }
        let box = JPEGPieces.segment(0xEB, Data("JP....jumb exif:GPSLatitude".utf8))
        #expect(throws: ImageCodecError.self) {
            try JPEGMetadataEdit.removeLocation.applied(to: JPEGPieces.inserted(box, into: file))
        }
        let other = JPEGPieces.inserted(JPEGPieces.segment(0xEB, Data("JP....jumb author".utf8)), into: file)
        #expect(
            try JPEGMetadataEdit.removeLocation.applied(to: other + Data(count: 9)).count == other.count + 9)
    }

    @Test(
        "XMP loses properties of a position in any form, and keeps the others",
        arguments: [
            ("<a exif:GPSLatitude=\"1\" b='2'/>", "exif:GPSLatitude=\"1\""),
            ("<a b='2' e:GPSLongitude = '1>2'>x</a>", "e:GPSLongitude = '1>2'"),
            ("<exif:GPSLatitude>1,2N</exif:GPSLatitude><b/>", "<exif:GPSLatitude>1,2N</exif:GPSLatitude>"),
            ("<d:AbsoluteAltitude x='>'/><b/>", "<d:AbsoluteAltitude x='>'/>"),
            ("<d:GpsLatitude>1<b/>", "<d:GpsLatitude>1<b/>"),
            ("<!-- a --><?x y?><geo:lat>1</geo:lat >", "<geo:lat>1</geo:lat >"),
            ("<a e:GPSLatitude=\"1", "e:GPSLatitude=\"1"),
            ("<a city='Lat'>GPSLatitude</a>", ""), ("<a latin='1' template='2'/>", ""), ("<", ""), ("", ""),
            ("<a b", ""), ("<a = \"", ""),
        ])
    func xmp(packet: String, location: String) throws {
        let erased = try XMPEraser.erased(Array(packet.utf8), where: XMPEraser.isLocation)
        let spaces = String(repeating: " ", count: location.count)
        let expected = location.isEmpty ? packet : packet.replacingOccurrences(of: location, with: spaces)
        #expect(String(decoding: erased.bytes, as: UTF8.self) == expected)
        #expect(erased.hasErased == (packet != expected))
    }

    @Test("A packet in UTF-16 is refused")
    func utf16() {
        let wide = "<a e:GPSLatitude='1'/>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(throws: ImageCodecError.unsupported("an XMP packet that is not UTF-8")) {
            try XMPEraser.erased(wide, where: XMPEraser.isLocation)
        }
    }
}
