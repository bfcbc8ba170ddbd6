import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Changing the orientation, and removing all metadata, without encoding again.
@Suite struct JPEGOrientationEditTests {
    @Test(
        "Every orientation can be written into every file, and nothing else changes",
        arguments: MetadataReference.jpegs, Image.Orientation.allCases)
    func orientation(_ reference: MetadataReference, _ orientation: Image.Orientation) throws {
        let file = try reference.data()
        let edited = try JPEGMetadataEdit.setOrientation(orientation).applied(to: file)
        let (before, after) = (try ImageMetadata(of: file), try ImageMetadata(of: edited))
        #expect(after.orientation == orientation)
        #expect(JPEGPieces.scans(of: edited) == JPEGPieces.scans(of: file))
        #expect(after.location == before.location && after.iptc == before.iptc)
        #expect(after.exif == before.exif || before.exif == nil)
        #expect(after.extendedXMP == before.extendedXMP)
        let stored = try JPEGCodec().decode(file, minimumSize: nil).packedBytes
        let upright = try JPEGMetadataEdit.setOrientation(.up).applied(to: edited)
        if before.orientation == .up {
            #expect(try JPEGCodec().decode(upright, minimumSize: nil).packedBytes == stored)
        }
        if let packet = after.xmp, packet.contains(text: "tiff:Orientation") {
            let found = packet.withUnsafeBytes { XMP.orientation(in: ByteReader($0)) }
            #expect(found == orientation, "XMP agrees with EXIF")
        }
    }

    /// Found by fuzzing: readers accept the second prefix, but a new block was added.
    @Test("A block whose prefix is there twice is changed in place", arguments: Image.Orientation.allCases)
    func twice(_ orientation: Image.Orientation) throws {
        let file = try Fixtures.data(named: "Metadata/camera.jpg")
        let prefix = try #require(file.firstRange(of: Data("Exif\0\0".utf8)))
        let length = file[prefix.lowerBound - 2..<prefix.lowerBound].reduce(0) { $0 << 8 | Int($1) } + 6
        var twice = file.replacing(
            [UInt8(length >> 8), UInt8(length & 255)], at: prefix.lowerBound - 2)
        twice.insert(contentsOf: "Exif\0\0".utf8, at: prefix.upperBound)
        #expect(try JPEGCodec().header(of: twice).orientation == JPEGCodec().header(of: file).orientation)
        let edited = try JPEGMetadataEdit.setOrientation(orientation).applied(to: twice)
        #expect(edited.count == twice.count)
        #expect(try JPEGCodec().header(of: edited).orientation == orientation)
    }

    @Test("A block without the tag gets it, with its other entries and offsets unchanged")
    func added() throws {
        let file = try Fixtures.data(named: "Metadata/multiple.jpg")
        let edited = try JPEGMetadataEdit.setOrientation(.right).applied(to: file)
        #expect(edited.count > file.count)
        #expect(try ImageMetadata(of: edited).exif?.make == "Kingfisher")
    }

    @Test("A block after the first scan, which decoders do not read, does not count")
    func late() throws {
        let file = try Fixtures.data(named: "Photos/coffee.jpg")
        let late = file.dropLast(2) + Data(JPEGSegmentBytes.exif(.down)) + Data([0xFF, 0xD9])
        #expect(try JPEGCodec().header(of: late).orientation == .up)
        let edited = try JPEGMetadataEdit.setOrientation(.left).applied(to: late)
        #expect(try JPEGCodec().header(of: edited).orientation == .left)
    }

    @Test("The index of a file with several images points to the second image afterwards")
    func multiple() throws {
        let file = try Fixtures.data(named: "Metadata/multiple.jpg")
        for edited in [
            file, try JPEGMetadataEdit.setOrientation(.right).applied(to: file),
            try JPEGMetadataEdit.setOrientation(.right).applied(to: Self.indexLast(file)),
        ] {
            let index = try #require(edited.range(of: Data("MPF\0".utf8))).upperBound
            func number(_ offset: Int) -> Int { edited[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
            // The table follows the directory of three entries.
            let table = index + 8 + 2 + 36 + 4
            let second = index + number(table + 16 + 8)
            #expect(edited[second..<second + 3] == Data([0xFF, 0xD8, 0xFF]))
            #expect(number(table + 4) == second, "the size of the first image")
            #expect(second + number(table + 16 + 4) == edited.count)
        }
    }

    /// The file with the index after EXIF; its offset is measured from the index.
    private static func indexLast(_ file: Data) throws -> Data {
        let index = try #require(file.range(of: Data("MPF\0".utf8))).lowerBound - 4
        let length = 2 + Int(file[index + 2]) << 8 + Int(file[index + 3])
        var rest = file
        let segment = Data(file[index..<index + length])
        rest.removeSubrange(index..<index + length)
        let exif = try #require(rest.range(of: Data("Exif\0\0".utf8))).lowerBound - 4
        let place = exif + 2 + Int(rest[exif + 2]) << 8 + Int(rest[exif + 3])
        rest.insert(contentsOf: segment, at: place)
        // The second image is nearer by what the index has moved.
        let entry = place + 4 + 4 + 8 + 2 + 36 + 4 + 16 + 8
        let offset = rest[entry..<entry + 4].reduce(0) { $0 << 8 | Int($1) } - (place - index)
        rest.replaceSubrange(entry..<entry + 4, with: UInt32(offset).bigEndianBytes)
        return rest
    }

    @Test("A malformed index and a full EXIF block are refused")
    func refused() throws {
        let bare = try Fixtures.data(named: "Metadata/bare.jpg")
        let index = JPEGPieces.inserted(JPEGPieces.segment(0xE2, Data("MPF\0garbage".utf8)), into: bare)
        #expect(throws: ImageCodecError.unsupported("a malformed index of a file with several images")) {
            try JPEGMetadataEdit.setOrientation(.left).applied(to: index)
        }
        let full = JPEGPieces.tiff([(0x010F, 2, 4, 0x0043_4241)]) + Data(count: 65_490)
        let large = JPEGPieces.inserted(JPEGPieces.exif(full), into: bare)
        #expect(throws: ImageCodecError.unsupported("an EXIF block without room for an orientation")) {
            try JPEGMetadataEdit.setOrientation(.left).applied(to: large)
        }
        for edit: JPEGMetadataEdit in [.removeLocation, .removeAll, .setOrientation(.up)] {
            #expect(throws: ImageCodecError.self) { try edit.applied(to: Data()) }
            #expect(throws: ImageCodecError.self) { try edit.applied(to: Data("GIF89a".utf8)) }
        }
    }

    @Test(
        "Removing everything keeps pixels, profile, density and orientation",
        arguments: MetadataReference.jpegs)
    func stripped(_ reference: MetadataReference) throws {
        let file = try reference.data()
        let edited = try JPEGMetadataEdit.removeAll.applied(to: file)
        let (before, after) = (try ImageMetadata(of: file), try ImageMetadata(of: edited))
        #expect(after.location == nil && after.iptc == nil && after.xmp == nil && after.extendedXMP == nil)
        #expect(after.exif == nil || after.exif == ImageMetadata.EXIFFields())
        #expect(after.orientation == before.orientation)
        #expect(after.colorProfileName == before.colorProfileName)
        for text in ["Ada", "Kingfisher", "Sydney", "ns.adobe.com", "Photoshop", "MPF\0"] {
            #expect(!edited.contains(text: text), "\(text)")
        }
        let scans = try #require(JPEGPieces.scans(of: edited))
        #expect(try #require(JPEGPieces.scans(of: file)).starts(with: scans))
        #expect(
            try Image.decode(edited).pixels?.packedBytes == Image.decode(file).pixels?.packedBytes)
        #expect(try JPEGMetadataEdit.removeAll.applied(to: edited) == edited)
    }

    @Test("A directory that overlaps the header of its block is refused, not destroyed")
    func overlap() throws {
        var tiff = Data("MM\0\u{2A}\0\0\0\u{2}".utf8) + Data(count: 42 * 12)
        tiff += Data(count: 4)
        let bare = try Fixtures.data(named: "Metadata/bare.jpg")
        let file = JPEGPieces.inserted(JPEGPieces.exif(tiff), into: bare)
        #expect(throws: ImageCodecError.unsupported("a malformed EXIF block")) {
            try JPEGMetadataEdit.setOrientation(.left).applied(to: file)
        }
    }

    @Test("JFIF is kept if it is not the first segment, because it says that the samples are not RGB")
    func header() throws {
        let bare = try Fixtures.data(named: "Metadata/bare.jpg")
        let late = JPEGPieces.inserted(JPEGPieces.segment(0xFE, Data("comment".utf8)), into: bare)
        let edited = try JPEGMetadataEdit.removeAll.applied(to: late)
        #expect(edited[3] == 0xE0)
        #expect(try ImageMetadata(of: edited).pixelDensity == ImageMetadata(of: bare).pixelDensity)
        #expect(edited.ranges(of: Data("JFIF".utf8)).count == 1)
    }

    @Test(
        "Every JPEG fixture keeps its pixels under every edit",
        arguments: Fixtures.names(in: "JPEG", withExtension: "jpg"))
    func fixtures(name: String) throws {
        let file = try Fixtures.data(named: name)
        let pixels = try JPEGCodec().decode(file, minimumSize: nil)
        let orientation = try JPEGCodec().header(of: file).orientation
        for edit: JPEGMetadataEdit in [.removeLocation, .removeAll, .setOrientation(orientation)] {
            let edited = try edit.applied(to: file)
            #expect(try JPEGCodec().decode(edited, minimumSize: nil).packedBytes == pixels.packedBytes)
            #expect(JPEGPieces.scans(of: edited) == JPEGPieces.scans(of: file))
        }
    }
}
