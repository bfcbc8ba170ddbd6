import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import TestHelpers
import Testing

@Suite("JPEG XL: the format")
struct FormatTests {
    private let codec = JPEGXLCodec()

    @Test("The codec names its extensions, media type and library")
    func names() {
        #expect(codec.fileExtensions == ["jxl"])
        #expect(codec.mediaType == "image/jxl")
        #expect(codec.format.name == "JXL")
        #expect(codec.version.hasPrefix("libjxl 0."))
    }

    @Test("Both signatures are detected, and nothing shorter or else")
    func signatures() {
        let container: [UInt8] = [0, 0, 0, 0xC, 0x4A, 0x58, 0x4C, 0x20, 0xD, 0xA, 0x87, 0xA]
        let registry = CodecRegistry([codec])
        #expect(registry.codec(for: Data(container + [0, 0]))?.format == .jpegXL)
        #expect(registry.codec(for: Data([0xFF, 0xA, 0, 0, 0, 0, 0, 0, 0]))?.format == .jpegXL)
        for index in container.indices {
            var other = container
            other[index] ^= 0x20
            #expect(!other.withUnsafeBytes { codec.matches($0) })
            #expect(!container.prefix(index).withUnsafeBytes { codec.matches($0) })
        }
        #expect(![UInt8]([0xFF, 0xD8, 0xFF]).withUnsafeBytes { codec.matches($0) })
    }

    @Test("A program with the codec starts without libjxl, which the first decode loads")
    func firstUse() throws {
        #expect(try !LazyCodecs.linkedLibraries().contains("libjxl"))
        let file = try codec.encode(TestImages.gradients(), options: ImageEncodingOptions())
        let lines = try LazyCodecs.decode(file, with: "jxl")
        #expect(lines == ["detected JXL, mapped false", "decoded 64x48, mapped true"])
    }

    @Test("Without libjxl files are still detected, and the error names the package")
    func missing() throws {
        let file = try codec.encode(TestImages.gradients(), options: ImageEncodingOptions())
        let version =
            codec.version.split(separator: " ").last.map { $0.split(separator: ".").prefix(2) } ?? []
        let number = version.joined(separator: ".")
        let lines = try LazyCodecs.decode(file, with: "jxl", hiding: "libjxl.so.\(number)")
        #expect(lines.first == "detected JXL, mapped false")
        let start = "failed: JPEG XL without libjxl.so.\(number) of Debian's package libjxl\(number) ("
        #expect(lines.last?.hasPrefix(start) == true)
    }
}
