import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers
import Testing

/// Files that are truncated, corrupt or unsupported.
@Suite struct BMPFaultTests {
    private let codec = BMPCodec()

    private func refusal(_ change: (inout BitmapFile) -> Void) -> ImageCodecError? {
        var file = BitmapFile()
        change(&file)
        return codec.failure(of: file.data)
    }

    @Test func aFileThatIsOnlyMadeOfZerosOrEmptyIsRefused() {
        #expect(refusal { _ in } == nil)
        #expect(codec.failure(of: Data()) == .truncated)
        #expect(codec.failure(of: Data("BM".utf8)) == .truncated)
        #expect(codec.failure(of: Data(count: 100)) == .corrupt("no BMP signature"))
    }

    @Test func impossibleHeadersAreRefused() {
        #expect(refusal { $0.headerBytes = 41 } == .unsupported("a BMP header of 41 bytes"))
        #expect(refusal { $0.bits = 7 } == .corrupt("7 bits a pixel"))
        #expect(refusal { $0.width = -4 } == .tooLarge(width: -4, height: 3))
        #expect(refusal { $0.width = 0 } == .tooLarge(width: 0, height: 3))
        #expect(refusal { $0.height = 0 } == .tooLarge(width: 4, height: 0))
        #expect(refusal { $0.height = Int(Int32.min) } == .tooLarge(width: 4, height: 1 << 31))
        #expect(refusal { $0.compression = 1 } == .corrupt("compression 1 of 24 bits"))
        for bits in [0, 24] {
            for (compression, name) in [(4, "JPEG"), (5, "PNG")] {
                let found = refusal {
                    $0.compression = compression
                    $0.bits = bits
                }
                #expect(found == .unsupported("a \(name) within a BMP"))
            }
        }
        #expect(refusal { $0.compression = 99 } == .corrupt("compression 99 of 24 bits"))
        #expect(refusal { $0.pixelOffset = 20 } == .corrupt("pixels within the header"))
        #expect(refusal { $0.pixelOffset = Int(UInt32.max) } == .truncated)
        #expect(refusal { $0.pixelOffset = 0 } == nil)
        #expect(refusal { $0.planes = 0 } == nil)
    }

    /// A regression test of libnsbmp has such a file.
    @Test("Pixels declared at the end of the header begin after the palette", arguments: [1, 4, 8])
    func offsetOfPalette(bits: Int) throws {
        var file = BitmapFile(width: 8, height: 2, body: Data((1...16).map { UInt8($0 * 13) }))
        file.bits = bits
        file.palette = Data((0..<4 << bits).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let expected = try codec.decode(file.data, minimumSize: nil).packedBytes
        file.pixelOffset = 54
        #expect(try codec.decode(file.data, minimumSize: nil).packedBytes == expected)
        #expect(codec.failure(of: file.data.dropLast(12)) == .truncated)
    }

    @Test func corruptMasksAreRefused() {
        func masked(_ masks: [Int], bits: Int = 32) -> ImageCodecError? {
            refusal { file in
                (file.bits, file.compression, file.body) = (bits, 3, Data(count: 64))
                for mask in masks { file.rest.append(mask, 4) }
            }
        }
        let corrupt = ImageCodecError.corrupt("masks that are no fields of a pixel")
        #expect(masked([0xFF_0000, 0xFF00, 0xFF]) == nil)
        #expect(masked([0xFF_0000, 0xF0F0, 0xFF]) == corrupt)
        #expect(masked([0x1F_0000, 0x7E0, 0x1F], bits: 16) == corrupt)
        #expect(masked([0, 0, 0]) == nil)
        #expect(masked([0xFFFF_FFFF, 0x8000_0000, 1]) == nil)
    }

    @Test func runLengthsFromTheTopAreRefused() {
        var file = BitmapFile.runs([4, 1, 0, 1])
        file.height = -3
        #expect(
            codec.failure(of: file.data)
                == .corrupt("run lengths in a bitmap that is an icon or begins at its top"))
    }

    @Test func indicesWithoutAColourAreBlack() throws {
        var file = BitmapFile(width: 4, height: 1, body: Data([0, 1, 2, 255]))
        (file.bits, file.colorCount) = (8, 2)
        file.palette = Data([1, 2, 3, 0, 4, 5, 6, 0])
        let pixels = try codec.decode(file.data, minimumSize: nil)
        #expect(pixels.packedBytes == [3, 2, 1, 255, 6, 5, 4, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    }

    /// A truncated file has no image, except where only padding or unused bytes are missing: every length of
    /// the headers and near the end, some in between.
    @Test(arguments: References.bitmaps) func truncationsAreErrors(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try codec.decode(data, minimumSize: nil).packedBytes
        var last = 0
        for count in 0..<data.count where count < 150 || count > data.count - 20 || count % 29 == 0 {
            let part = data.prefix(count)
            do throws(ImageCodecError) {
                let pixels = try codec.decode(part, minimumSize: nil)
                // Of a profile at the end only its own bytes may be missing.
                #expect(pixels.packedBytes == whole || name.contains("profile"), "\(name) \(count)")
            } catch {
                last = count
                #expect(error == .truncated, "\(name) \(count)")
                let partial = try? codec.decode(part, minimumSize: nil, acceptsPartialImages: true)
                #expect(partial.map { $0.byteCount >= whole.count } ?? true)
            }
        }
        #expect(last >= data.count / 3)
    }

    @Test func rowsOfATruncatedFileAreKeptIfPartsAreAccepted() throws {
        let data = try Fixtures.data(named: "BMP/rgb24.bmp")
        let whole = try codec.decode(data, minimumSize: nil).packedBytes
        // The last ten rows of the file are the first of the image.
        let part = data.prefix(data.count - 10 * 100)
        #expect(codec.endsEarly(part))
        let pixels = try codec.decode(part, minimumSize: nil, acceptsPartialImages: true)
        let black = (0..<10 * 33).flatMap { _ in [0, 0, 0, 255] as [UInt8] }
        #expect(pixels.packedBytes == black + whole.dropFirst(10 * 33 * 4))
    }

    // MARK: Limits

    @Test func hugeSizesAreRefusedBeforeMemoryIsTaken() {
        let most = Int(Int32.max)
        #expect(refusal { ($0.width, $0.height) = (most, most) } == .tooLarge(width: most, height: most))
        // Within the limits, but without the bytes.
        #expect(refusal { ($0.width, $0.height) = (10_000, 10_000) } == .truncated)
        let before = ProcessStatus.residentBytes
        for _ in 0..<20 { _ = refusal { ($0.width, $0.height) = (10_000, 10_000) } }
        #expect(ProcessStatus.residentBytes - before < 200 << 20)
        // Rows are padded to 64 bytes.
        var narrow = BitmapFile.runs([0, 1], width: 1, height: 50_000_000)
        #expect(codec.failure(of: narrow.data) == .tooMuchMemory)
        narrow.height = 100_000_001
        #expect(codec.failure(of: narrow.data) == .tooLarge(width: 1, height: 100_000_001))
    }

    @Test func aProfileAboveTheLimitIsIgnored() throws {
        var limits = ImageLimits()
        limits.maximumMetadataBytes = 100
        let data = try Fixtures.data(named: "BMP/profile.bmp")
        let plain = try DecodingContext(limits: limits).run { try codec.decode(data, minimumSize: nil) }
        #expect(plain.packedBytes != (try codec.decode(data, minimumSize: nil)).packedBytes)
    }
}
