import CHEIF
import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import TestHelpers
import Testing

@Suite("HEIC: the format", .enabled(if: Tools.arePresent))
struct FormatTests {
    @Test("The codec names its extensions, media type and libraries")
    func names() {
        let codec = HEICCodec()
        #expect(codec.fileExtensions.first == "heic")
        #expect(codec.mediaType == "image/heic")
        #expect(codec.version.hasPrefix("libheif 1."))
        #expect(codec.version.contains("libde265 1."))
    }

    @Test(
        "The decoders have the version that libheif accepts",
        arguments: [(0x010F_0100, 3), (0x0114_0200, 3), (0x0115_0000, 5), (0x0117_0600, 5)])
    func pluginVersion(_ library: UInt32, _ version: Int32) throws {
        #expect(kf_heif_plugin_version(library) == version)
        #expect(kf_heif() != nil, Comment(rawValue: String(cString: kf_heif_missing())))
    }

    @Test("HEIC is detected by its brands, AVIF is not")
    func signature() throws {
        func matches(_ brands: String) -> Bool {
            let content = Data(brands.utf8)
            let file = HEIFFile.box("ftyp", content.prefix(4) + Data(count: 4) + content.dropFirst(4))
            return file.withUnsafeBytes { HEICCodec().matches($0) }
        }
        #expect(matches("heic") && matches("mif1heic") && matches("mif1") && matches("heix"))
        #expect(!matches("avif") && !matches("mif1avif") && !matches("isommp42"))
        let file = try Tools.encode(TestImages.gradients())
        #expect(file.withUnsafeBytes { HEICCodec().matches($0) })
    }

    @Test("A program with the codec starts without libheif, which the first decode loads")
    func firstUse() throws {
        #expect(try !LazyCodecs.linkedLibraries().contains("libheif"))
        let file = try Tools.encode(TestImages.gradients())
        let lines = try LazyCodecs.decode(file, with: "heif")
        #expect(lines == ["detected HEIC, mapped false", "decoded 64x48, mapped true"])
    }

    @Test(
        "Without a library files are still detected, and the error names the package",
        arguments: [("libheif.so.1", "libheif1"), ("libde265.so.0", "libde265-0")])
    func missing(_ library: String, _ package: String) throws {
        let file = try Tools.encode(TestImages.gradients())
        let lines = try LazyCodecs.decode(file, with: "heif", hiding: library)
        #expect(lines.first == "detected HEIC, mapped false")
        #expect(
            lines.last?.hasPrefix("failed: HEIC without libheif.so.1 of Debian's package ") == true
                || lines.last?.contains("\(library) of Debian's package \(package) ") == true)
        #expect(lines.last?.contains(library) == true)
    }

    @Test("Sizes and headers are read without libheif")
    func header() throws {
        let file = try Tools.encode(TestImages.gradients(65, 49, depth: .sixteen), "-b", "10")
        let header = try HEICCodec().header(of: file)
        #expect(header.size == PixelSize(width: 65, height: 49))
        #expect(header.bitsPerComponent == 10)
        #expect(!header.hasAlpha && header.frameCount == 1)
    }
}
