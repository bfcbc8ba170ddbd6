import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

@Suite("AVIF: loading libavif", .enabled(if: Tools.arePresent))
struct LibraryTests {
    @Test("A program with the codec starts without libavif, which the first decode loads")
    func firstUse() throws {
        #expect(try !LazyCodecs.linkedLibraries().contains("libavif"))
        let file = try Tools.encode([TestImages.gradients()])
        let lines = try LazyCodecs.decode(file, with: "avif")
        #expect(lines == ["detected AVIF, mapped false", "decoded 64x48, mapped true"])
    }

    @Test("Without libavif files are still detected, and the error names the package")
    func missing() throws {
        let file = try Tools.encode([TestImages.gradients()])
        let version = try #require(AVIFCodec().version.contains(" 0.") ? "15" : "16")
        let lines = try LazyCodecs.decode(file, with: "avif", hiding: "libavif.so.\(version)")
        #expect(lines.first == "detected AVIF, mapped false")
        #expect(
            lines.last?.hasPrefix("failed: AVIF without libavif.so.\(version) of Debian's package ") == true)
        #expect(lines.last?.contains("package libavif\(version) ") == true)
    }
}
