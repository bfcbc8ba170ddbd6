import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Metadata of WebP files. exiftool wrote the fixture with the values of the JPEG.
@Suite struct WebPMetadataTests {
    private static let name = "Metadata/camera.webp"

    private func metadata(_ data: Data) throws -> ImageMetadata {
        try ImageMetadata(of: data, using: WebPCodec())
    }

    @Test("EXIF, XMP and profile are those of the JPEG with the same tags")
    func read() throws {
        let ours = try metadata(try Fixtures.data(named: Self.name))
        let jpeg = try ImageMetadata(of: try Fixtures.data(named: "Metadata/camera.jpg"))
        #expect(ours.exif == jpeg.exif && ours.location == jpeg.location)
        #expect(ours.exif?.lensModel == "50 mm f/1.8")
        #expect(ours.colorProfileName == jpeg.colorProfileName)
        #expect(ours.xmp?.isEmpty == false && ours.isComplete && ours.channels == 3)
        #expect(WebPCodec().capabilities.isSuperset(of: [.readsMetadata, .writesMetadata]))
    }

    @Test(
        "Replaced metadata is read back, and the image does not change",
        arguments: [
            "WebP/all-metadata.webp", "WebP/anim-metadata.webp", "WebP/lossless-camera.webp",
            "Metadata/camera.webp",
            "WebP/orientation-6.webp",
        ])
    func replaced(name: String) throws {
        let file = try Fixtures.data(named: name)
        let codec = WebPCodec()
        let source = try codec.metadataBlocks(of: try Fixtures.data(named: Self.name))
        let written = try codec.replacingMetadata(of: file, with: source)
        #expect(try metadata(written).exif?.make == "Kingfisher")
        #expect(try codec.metadataBlocks(of: written).xmp == source.xmp)
        let stripped = try codec.replacingMetadata(of: file, with: ImageMetadataBlocks())
        #expect(try metadata(stripped).xmp == nil && metadata(stripped).exif?.make == nil)
        #expect(try codec.header(of: stripped).orientation == codec.header(of: file).orientation)
        for edited in [written, stripped] {
            let (old, new) = (try codec.header(of: file), try codec.header(of: edited))
            #expect(old.size == new.size && old.timing == new.timing && old.hasAlpha == new.hasAlpha)
        }
        let pixels = try codec.decode(file, minimumSize: nil)
        #expect(try codec.decode(stripped, minimumSize: nil).allSamples == pixels.allSamples)
    }

    @Test("A serializer keeps or removes metadata by its policy")
    func serializer() throws {
        let original = try Fixtures.data(named: Self.name)
        let image = try Image.decode(original, using: WebPCodec())
        var serializer = WebPCacheSerializer.lossless
        #expect(serializer.data(with: image, original: original) == original)
        serializer.metadata = .strip
        let stripped = try #require(serializer.data(with: image, original: original))
        #expect(try metadata(stripped).exif?.make == nil)
        serializer.metadata = .keepWithoutLocation
        let filtered = try #require(serializer.data(with: image, original: original))
        #expect(try metadata(filtered).exif?.make == "Kingfisher" && metadata(filtered).location == nil)
        let turned = try Image.decode(try Fixtures.data(named: "Metadata/camera.jpg"))
        serializer.metadata = .keep
        let encoded = try #require(
            serializer.data(with: turned, original: try Fixtures.data(named: "Metadata/camera.jpg")))
        #expect(try metadata(encoded).location != nil && metadata(encoded).orientation == .up)
    }

    @Test("Encoded and unchanged files keep the names of the copyright holders only")
    func copyright() throws {
        let original = try Fixtures.data(named: Self.name)
        let image = try Image.decode(original, using: WebPCodec())
        var serializer = WebPCacheSerializer.lossless
        serializer.metadata = .keepCopyright
        let unchanged = try #require(serializer.data(with: image, original: original))
        let photo = try Fixtures.data(named: "Metadata/camera.jpg")
        let encoded = try #require(serializer.data(with: try Image.decode(photo), original: photo))
        for file in [unchanged, encoded] {
            let found = try metadata(file)
            #expect(found.exif?.artist == "Ada Lovelace" && found.exif?.copyright == "2026 Ada Lovelace")
            #expect(found.exif?.make == nil && found.location == nil && found.xmp == nil)
        }
        #expect(try metadata(encoded).orientation == .up)
        #expect(try metadata(unchanged).colorProfileName == metadata(original).colorProfileName)
        let turned = try Fixtures.data(named: "WebP/orientation-6.webp")
        let policy = MetadataPolicy.keepCopyright
        let kept = try #require(policy.applied(to: turned, original: turned) { _ in WebPCodec() })
        #expect(try metadata(kept).orientation == metadata(turned).orientation)
    }

    @Test("A rewritten file has no second EXIF block and no unknown chunks")
    func unknownChunks() throws {
        var file = try Fixtures.data(named: Self.name)
        let exif = try #require(try WebPCodec().metadataBlocks(of: file).exif)
        for name in ["EXIF", "XMP\0", "exif"] {
            file += Data(name.utf8) + withUnsafeBytes(of: UInt32(exif.count).littleEndian) { Data($0) } + exif
            if exif.count % 2 == 1 { file.append(0) }
        }
        withUnsafeBytes(of: UInt32(file.count - 8).littleEndian) { file.replaceSubrange(4..<8, with: $0) }
        let written = try WebPCodec().replacingMetadata(of: file, with: ImageMetadataBlocks())
        #expect(written.firstRange(of: Data("Kingfisher".utf8)) == nil)
        let pixels = try WebPCodec().decode(file, minimumSize: nil)
        #expect(try WebPCodec().decode(written, minimumSize: nil).allSamples == pixels.allSamples)
    }

    @Test("Truncated files have metadata or an error")
    func truncated() throws {
        let file = try Fixtures.data(named: Self.name)
        for count in stride(from: 0, to: file.count, by: 7) {
            let part = Data(file.prefix(count))
            _ = try? metadata(part)
            #expect(throws: ImageCodecError.self) {
                try WebPCodec().replacingMetadata(of: part, with: ImageMetadataBlocks())
            }
        }
    }
}
