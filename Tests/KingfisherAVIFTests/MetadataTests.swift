import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("AVIF: metadata", .enabled(if: Tools.arePresent))
struct MetadataTests {
    private func metadata(_ arguments: String..., alpha: Bool = false) throws -> ImageMetadata {
        let file = try Tools.encode([TestImages.gradients(alpha: alpha)], ["-y", "444"] + arguments)
        return try ImageMetadata(of: file, using: AVIFCodec())
    }

    @Test("Code points are those of the file, and say whether it is HDR")
    func codePoints() throws {
        for (transfer, isHDR) in [(16, true), (18, true), (13, false)] {
            let metadata = try metadata("--nclx", "9/\(transfer)/9")
            let expected = ImageMetadata.CodePoints(
                primaries: 9, transfer: transfer, matrix: 9, isFullRange: true)
            #expect(metadata.codePoints == expected && metadata.isHDR == isHDR)
        }
        // Unknown code points, which decoding ignores.
        #expect(try metadata("--nclx", "9/200/9").codePoints == nil)
    }

    @Test("A profile wins over code points, as it does in decoding")
    func profile() throws {
        let profile = Fixtures.url(named: "Color/rec2020.icc").path
        let metadata = try metadata("--nclx", "9/16/9", "--icc", profile, alpha: true)
        #expect(metadata.colorProfileName != nil && !metadata.isHDR && metadata.codePoints == nil)
        #expect(metadata.channels == 4 && metadata.hasAlpha)
    }

    @Test("EXIF and XMP are those of the file")
    func blocks() throws {
        let camera = try ImageMetadataBlocks(of: Fixtures.data(named: "Metadata/camera.jpg"))
        let folder = FileManager.default.temporaryDirectory
        let (exif, xmp) = (
            folder.appendingPathComponent("\(UUID()).exif"), folder.appendingPathComponent("\(UUID()).xmp")
        )
        try #require(camera.exif).write(to: exif)
        try #require(camera.xmp).write(to: xmp)
        defer { for file in [exif, xmp] { try? FileManager.default.removeItem(at: file) } }
        let metadata = try metadata("--exif", exif.path, "--xmp", xmp.path)
        let original = try ImageMetadata(of: Fixtures.data(named: "Metadata/camera.jpg"))
        #expect(metadata.exif == original.exif && metadata.location == original.location)
        #expect(metadata.xmp == original.xmp && metadata.exif?.make == "Kingfisher")
        #expect(metadata.pixelSize == PixelSize(width: 64, height: 48))
        #expect(AVIFCodec().capabilities.contains(.readsMetadata))
    }

    @Test("Metadata above the limit are omitted")
    func limit() throws {
        let xmp = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).xmp")
        try Data(repeating: 32, count: ImageMetadataBlocks.maximumBytes + 1).write(to: xmp)
        defer { try? FileManager.default.removeItem(at: xmp) }
        let metadata = try metadata("--xmp", xmp.path)
        #expect(metadata.xmp == nil && !metadata.isComplete)
    }
}
