import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// JPEG files with a gain map show their base image, and edits keep the file valid.
@Suite("JPEG files with a gain map") struct GainMapTests {
    /// 24 x 16 pixels with EXIF, a location, an orientation, a thumbnail and a profile.
    private static let base = "Metadata/camera.jpg"

    private func base() throws -> Data { try Fixtures.data(named: Self.base) }

    @Test("The base image is shown, whole, small and by the image", arguments: GainMapJPEG.allCases)
    func decoding(_ kind: GainMapJPEG) throws {
        let (base, file) = (try base(), try kind.file(try base()))
        let map = try #require(GainMapJPEG.gainMap(in: file))
        #expect(try JPEGCodec().header(of: map).size == GainMapJPEG.size)
        let codec = JPEGCodec()
        #expect(try codec.header(of: file) == codec.header(of: base))
        #expect(
            try codec.decode(file, minimumSize: nil).packedBytes
                == codec.decode(base, minimumSize: nil).packedBytes)
        for side in [1, 2, 3, 5, 8, 16] {
            let target = PixelSize(width: side, height: side)
            #expect(
                try codec.decode(file, shrunkTo: target).packedBytes
                    == codec.decode(base, shrunkTo: target).packedBytes)
        }
        #expect(try Image.decode(file).pixels?.packedBytes == Image.decode(base).pixels?.packedBytes)
        #expect(try Image.decode(file).images == nil)
    }

    @Test("Larger photographs shrink by the fast paths", arguments: ["baseline", "progressive"])
    func photographs(_ kind: String) throws {
        let names = Fixtures.names(in: kind == "baseline" ? "Photos" : "Progressive", withExtension: "jpg")
        let base = try Fixtures.data(named: try #require(names.first))
        let file = try GainMapJPEG.adobe.file(base)
        let target = PixelSize(width: 20, height: 20)
        #expect(
            try JPEGCodec().decode(file, shrunkTo: target).packedBytes
                == JPEGCodec().decode(base, shrunkTo: target).packedBytes)
        #expect(!JPEGCodec().endsEarly(file))
    }

    @Test("A file that ends within the gain map has a whole base image", arguments: GainMapJPEG.allCases)
    func truncated(_ kind: GainMapJPEG) throws {
        let file = try kind.file(try base())
        let map = try #require(GainMapJPEG.gainMap(in: file))
        let expected = try JPEGCodec().decode(base(), minimumSize: nil).packedBytes
        for missing in [1, map.count / 2, map.count - 1, map.count] {
            let part = Data(file.dropLast(missing))
            #expect(!JPEGCodec().endsEarly(part))
            #expect(
                try JPEGCodec().decode(part, minimumSize: nil, acceptsPartialImages: true).packedBytes
                    == expected)
        }
        let cut = Data(file.dropLast(map.count + 3))
        #expect(JPEGCodec().endsEarly(cut))
    }

    @Test("The scans that arrive are those of the base image")
    func scans() throws {
        let name = try #require(Fixtures.names(in: "Progressive", withExtension: "jpg").first)
        let base = try Fixtures.data(named: name)
        let file = try GainMapJPEG.adobe.file(base)
        var (whole, alone) = (JPEGScans(), JPEGScans())
        file.withUnsafeBytes { whole.take($0) }
        base.withUnsafeBytes { alone.take($0) }
        let map = try #require(GainMapJPEG.gainMap(in: file))
        let grown = file.count - base.count - map.count
        #expect(whole.ends == alone.ends.map { $0 + grown } && whole.size == alone.size)
        #expect(whole.hasEnd && whole.isProgressive == true)
    }

    @Test(
        "Metadata are those of the base image, and say that there is a gain map",
        arguments: GainMapJPEG.allCases)
    func metadata(_ kind: GainMapJPEG) throws {
        let (before, after) = (try ImageMetadata(of: base()), try ImageMetadata(of: kind.file(base())))
        #expect(after.hasGainMap && !before.hasGainMap)
        #expect(after.pixelSize == before.pixelSize && after.frameCount == 1 && after.channels == 3)
        #expect(after.exif == before.exif && after.location == before.location && !after.isHDR)
        #expect(after.orientation == before.orientation)
        #expect(after.colorProfileName == before.colorProfileName)
    }

    @Test(
        "Removing the location, and changing the orientation, keep the gain map",
        arguments: GainMapJPEG.allCases)
    func edits(_ kind: GainMapJPEG) throws {
        for base in [try base(), try Fixtures.data(named: "Metadata/bare.jpg")] {
            let file = try kind.file(base)
            let map = try #require(GainMapJPEG.gainMap(in: file))
            for edit: JPEGMetadataEdit in [.removeLocation, .setOrientation(.left), .setOrientation(.up)] {
                let edited = try edit.applied(to: file)
                #expect(GainMapJPEG.gainMap(in: edited) == map, "\(edit)")
                #expect(try ImageMetadata(of: edited).hasGainMap)
                #expect(try JPEGCodec().header(of: edited).size == JPEGCodec().header(of: base).size)
            }
            let hidden = try JPEGMetadataEdit.removeLocation.applied(to: file)
            #expect(try ImageMetadata(of: hidden).location == nil)
            let turned = try JPEGMetadataEdit.setOrientation(.left).applied(to: file)
            #expect(try ImageMetadata(of: turned).orientation == .left)
        }
    }

    @Test(
        "Removing everything removes the gain map and all that mentions it", arguments: GainMapJPEG.allCases)
    func stripped(_ kind: GainMapJPEG) throws {
        let (base, file) = (try base(), try kind.file(try base()))
        let edited = try JPEGMetadataEdit.removeAll.applied(to: file)
        #expect(try edited == JPEGMetadataEdit.removeAll.applied(to: base))
        #expect(try !ImageMetadata(of: edited).hasGainMap)
        for text in ["MPF\0", "hdrgm", "21496", "hdrgainmap"] { #expect(!edited.contains(text: text)) }
    }

    @Test("An image that is encoded again with the metadata of its original has no gain map")
    func encodedAgain() throws {
        let original = try GainMapJPEG.adobe.file(try base())
        let encoded = try Image.decode(original).encoded(as: .JPEG)
        for policy in [MetadataPolicy.keep, .keepWithoutLocation] {
            let kept = try #require(policy.applied(to: encoded, original: original))
            let metadata = try ImageMetadata(of: kept)
            #expect(!metadata.hasGainMap && metadata.isComplete)
            #expect(metadata.xmp?.contains(text: "dc:title='sea'") == true)
            #expect(metadata.xmp?.contains(text: "Item:Length") == false)
        }
    }

    @Test("A second image that is no gain map is none")
    func otherImage() throws {
        let file = try Fixtures.data(named: "Metadata/multiple.jpg")
        #expect(file.contains(text: "MPF\0"))
        #expect(try !ImageMetadata(of: file).hasGainMap)
    }

    @Test(
        "An index that points anywhere does no harm",
        arguments: [0, 1, 2, 8, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func hostile(_ offset: UInt32) throws {
        var file = try GainMapJPEG.apple.file(try base())
        let index = try #require(file.range(of: Data("MPF\0".utf8))).upperBound
        let place = index + 8 + 2 + 36 + 4 + 16 + 8
        file.replaceSubrange(place..<place + 4, with: offset.bigEndianBytes)
        let metadata = try ImageMetadata(of: file)
        #expect(!metadata.hasGainMap && metadata.exif != nil)
    }
}
