import Foundation
import KingfisherCodecSupport
import KingfisherTIFF
import TestHelpers
import Testing

@Suite("TIFF: the format", .enabled(if: Tools.arePresent))
struct FormatTests {
    private func file() throws -> Data {
        try Tools.file(bytes(samples(24, 16, 3).map { UInt8($0) }), 24, 16, bands: 3)
    }

    @Test("The codec names its extensions, media type and library")
    func names() {
        #expect(TIFFCodec().fileExtensions == ["tiff", "tif"])
        #expect(TIFFCodec().mediaType == "image/tiff")
        #expect(TIFFCodec().version.hasPrefix("libtiff 4."))
    }

    @Test(
        "TIFF and BigTIFF are detected in both byte orders", arguments: [[], ["-B"], ["-8"], ["-8", "-B"]])
    func signature(_ arguments: [String]) throws {
        let file = try Tools.convert(file(), arguments)
        #expect(file.withUnsafeBytes { TIFFCodec().matches($0) })
        #expect(!Data("II+JPEG".utf8 + [0, 0, 0]).withUnsafeBytes { TIFFCodec().matches($0) })
    }

    @Test("A program with the codec starts without libtiff, which the first decode loads")
    func firstUse() throws {
        #expect(try !LazyCodecs.linkedLibraries().contains("libtiff"))
        let lines = try LazyCodecs.decode(file(), with: "tiff")
        #expect(lines == ["detected TIFF, mapped false", "decoded 24x16, mapped true"])
    }

    @Test("Without libtiff files are still detected, and the error names the package")
    func missing() throws {
        let lines = try LazyCodecs.decode(file(), with: "tiff", hiding: "libtiff.so.6")
        #expect(lines.first == "detected TIFF, mapped false")
        #expect(
            lines.last?.hasPrefix("failed: TIFF without libtiff.so.6 of Debian's package libtiff6 ") == true)
    }
}

@Suite("TIFF: invalid files", .enabled(if: Tools.arePresent))
struct InvalidFileTests {
    private static func file(_ arguments: [String] = []) throws -> Data {
        try Tools.convert(
            Tools.file(bytes(samples(24, 16, 3).map { UInt8($0) }), 24, 16, bands: 3), arguments)
    }

    @Test(
        "A file that ends early is truncated, at every length",
        arguments: [[], ["-c", "lzw", "-t", "-w", "16", "-l", "16"]])
    func truncated(_ arguments: [String]) throws {
        let file = try Self.file(arguments)
        // The directory is last, and its last values are the page's density.
        for length in 0..<file.count - 40 {
            let error = failure(of: file.prefix(length))
            #expect(length < 8 ? error != nil : error == .truncated, "\(length) bytes: \(error as Any)")
        }
    }

    @Test("10,000 corrupt files fail or give an image of the declared size")
    func mutations() throws {
        let files = try [
            Self.file(), Self.file(["-c", "lzw:2"]), Self.file(["-c", "zip", "-t", "-w", "16", "-l", "16"]),
            Self.file(["-c", "jpeg"]), Self.file(["-p", "separate", "-8"]),
        ]
        TIFFCodec().checkCorrupt(files, count: 10_000, seed: 26) { file, _ in
            _ = try? TIFFCodec().decode(file, shrunkTo: PixelSize(width: 3, height: 2))
            _ = try? TIFFCodec().metadataBlocks(of: file)
        } changing: { file, number in
            // The directory decides most.
            number % 3 == 0 ? nil : max(0, file.count - 400)..<file.count
        }
    }

    @Test("Declared sizes above the limit are refused before memory is taken")
    func sizes() throws {
        let huge = try Tools.set(256, 60_000, in: Tools.set(257, 60_000, in: Self.file()))
        #expect(failure(of: huge) == .tooLarge(width: 60_000, height: 60_000))
        let small = DecodingContext(limits: ImageLimits(maximumPixels: 24 * 16 - 1))
        let file = try Self.file()
        small.run { #expect(failure(of: file) == .tooLarge(width: 24, height: 16)) }
        let tile = try Tools.set(322, 65_520, in: Self.file(["-t", "-w", "16", "-l", "16"]))
        #expect(failure(of: tile) != nil)
        #expect(failure(of: Data()) != nil)
    }

    @Test("Samples of more bits than any number are unsupported")
    func bits() throws {
        // The field has eight bytes, where two are usual.
        let file = try Self.file()
        let tag = Data([2, 1, 3, 0, 3, 0, 0, 0])
        let place = try #require(file.firstRange(of: tag)).lowerBound
        var lying = file
        lying[place + 2] = 16
        #expect(failure(of: lying) != nil)
    }

    @Test("Pages that form a circle end", arguments: [8, 0])
    func circle(_ next: UInt8) throws {
        var file =
            Data("II*\0".utf8) + Data([8, 0, 0, 0, 1, 0]) + Data([0, 1, 3, 0, 1, 0, 0, 0, 5, 0, 0, 0])
        file += Data([next, 0, 0, 0])
        #expect(TIFFCodec.pageCount(of: file) == 1)
        #expect(throws: ImageCodecError.corrupt("no page 1")) { try decode(file, page: 1) }
    }
}
