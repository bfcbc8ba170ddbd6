import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Malicious or invalid PNGs: each is refused with its specific reason.
@Suite struct HostilePNGTests {
    private let codec = PNGCodec()

    private func maker(_ width: Int = 8, _ height: Int = 6, colorType: Int = 2) -> PNGMaker {
        var generator = SeededGenerator(seed: 5)
        return PNGMaker(width, height, colorType: colorType, using: &generator) { UInt8($0 % 5) }
    }

    private func expectCorrupt(_ data: Data, _ word: String, _ comment: Comment? = nil) {
        let error = #expect(throws: ImageCodecError.self, comment) {
            try codec.decode(data, minimumSize: nil)
        }
        guard case .corrupt(let reason) = error else {
            Issue.record("\(String(describing: error)) instead of corrupt")
            return
        }
        #expect(reason.contains(word), comment)
    }

    @Test func chunksOutOfOrderAreCorrupt() {
        let stream = maker().stream
        var list = maker().chunks(data: [Array(stream.prefix(30)), Array(stream.dropFirst(30))])
        list.chunks.insert(.init(type: "tEXt", data: Array("a\0b".utf8)), at: 2)
        expectCorrupt(list.file, "IDAT chunks that are not consecutive")

        list = maker().chunks
        list.chunks.insert(list.chunks[0], at: 1)
        expectCorrupt(list.file, "IHDR twice")

        list = maker().chunks
        list.chunks.insert(.init(type: "QUUX", data: [1]), at: 1)
        expectCorrupt(list.file, "unknown critical chunk")
        list.chunks[1].type = "quUX"
        #expect(throws: Never.self) { try codec.decode(list.file, minimumSize: nil) }

        list = maker().chunks
        list.chunks[2].data = [1]
        expectCorrupt(list.file, "IEND")
    }

    /// Texts may have one (decision 012).
    @Test func everyWrongChecksumOfACriticalChunkIsCorrupt() {
        var list = maker().chunks
        list.chunks.insert(.init(type: "tEXt", data: Array("a\0b".utf8)), at: 1)
        list.chunks.insert(.init(type: "tEXt", data: Array("c\0d".utf8)), at: 3)
        let file = list.file
        var end = 8
        for chunk in list.chunks {
            end += 12 + chunk.data.count
            guard chunk.type != "tEXt" else { continue }
            expectCorrupt(file.replacing([file[end - 1] ^ 1], at: end - 1), "checksum", "\(chunk.type)")
        }
    }

    @Test func aWrongAdlerChecksumIsCorrupt() {
        var stream = maker().stream
        stream[stream.count - 1] ^= 1
        #expect(PNGResult.fastPath(maker().chunks(data: [stream]).file) == .leftToLibspng)
        expectCorrupt(maker().chunks(data: [stream]).file, "stream")
    }

    @Test(arguments: [0, 2, 4, 6]) func unknownFiltersAreCorrupt(colorType: Int) {
        for row in [0, 3, 5] {
            for filter: UInt8 in [5, 255] {
                var maker = maker(colorType: colorType)
                maker.rows[row * (maker.rows.count / 6)] = filter
                expectCorrupt(maker.file, "filter")
            }
        }
    }

    /// A stream a thousand times longer than the rows: only the rows are unpacked, and the rest is no error.
    @Test func bytesAfterTheLastRowAreNotUnpacked() throws {
        var maker = maker(1, 1)
        maker.rows = Array(maker.rows.prefix(4)) + [UInt8](repeating: 0, count: 4_000_000)
        let data = maker.file
        let start = ContinuousClock.now
        #expect(try codec.decode(data, minimumSize: nil).size == PixelSize(width: 1, height: 1))
        #expect(ContinuousClock.now - start < .seconds(5 * ProcessStatus.slowness))
    }

    @Test func aStreamThatEndsEarlyIsRefused() {
        var maker = maker()
        maker.rows.removeLast()
        #expect(throws: ImageCodecError.truncated) { try codec.decode(maker.file, minimumSize: nil) }
        maker.rows = []
        #expect(throws: ImageCodecError.truncated) { try codec.decode(maker.file, minimumSize: nil) }
        #expect(throws: ImageCodecError.self) {
            try codec.decode(maker.chunks(data: [[]]).file, minimumSize: nil)
        }
    }

    /// Found by fuzzing: its header was read, while metadata and decoders ended at IEND.
    @Test func whatFollowsTheEndIsNotRead() throws {
        var list = ChunkList(maker().file)
        let end = ChunkList.Chunk(type: "IEND", data: [])
        list.chunks.insert(end, at: 1)
        #expect(throws: ImageCodecError.corrupt("no pixels before IEND")) { try codec.header(of: list.file) }
        #expect(throws: ImageCodecError.corrupt("no pixels before IEND")) {
            try codec.replacingMetadata(of: list.file, with: ImageMetadataBlocks())
        }
        expectCorrupt(list.file, "IEND")
    }

    /// Windows of more than 32 KB, dictionaries, unknown methods and a wrong header checksum (RFC 1950, 2.2).
    @Test(arguments: [[0x88, 0x1C], [0x78, 0x20], [0x77, 0x01], [0x78, 0x02]] as [[UInt8]])
    func invalidZlibHeadersAreCorrupt(header: [UInt8]) {
        expectCorrupt(maker().chunks(data: [header + maker().stream.dropFirst(2)]).file, "stream")
    }

    @Test(arguments: [UInt32.max, 0x8000_0000, 0x7FFF_FFFF, 0x7FFF_FFF0]) func wrongChunkLengthsAreRefused(
        length: UInt32
    ) {
        let file = maker().file
        let offset = file.offset(of: Array("IDAT".utf8)) ?? 0
        let error = #expect(throws: ImageCodecError.self) {
            try codec.decode(file.replacing(ChunkList.bytes(length), at: offset - 4), minimumSize: nil)
        }
        #expect(error == (length > 0x7FFF_FFFF ? .corrupt("a chunk longer than PNG allows") : .truncated))
    }

    /// Widths whose row sizes would overflow, and widths that are too large.
    @Test(arguments: [
        (0x7FFF_FFFF, 0x7FFF_FFFF), (0x7FFF_FFFF, 1), (0x4000_0001, 1), (100_000_001, 1), (1, 100_000_001),
        (0, 1),
    ])
    func sizesOutsideTheLimitsAreRefused(width: UInt32, height: UInt32) {
        let data = maker().file.promising(pngWidth: width, height: height)
        #expect(throws: ImageCodecError.tooLarge(width: Int(width), height: Int(height))) {
            try codec.decode(data, minimumSize: nil)
        }
    }

    /// Regardless of the number of pixels that `ImageLimits` allows.
    @Test(arguments: [(0x8000_0000, 1), (1, 0x8000_0000), (UInt32.max, UInt32.max)])
    func sidesAboveTheFormatsMaximumAreRefused(width: UInt32, height: UInt32) {
        let data = maker().file.promising(pngWidth: width, height: height)
        var limits = ImageLimits()
        (limits.maximumPixels, limits.maximumFrameBytes) = (.max, .max)
        DecodingContext(limits: limits).run { expectCorrupt(data, "side") }
    }

    /// ISA-L counts bytes in 32 bits.
    @Test func rowsOfFourGigabytesAreLeftToLibspng() throws {
        for (width, isLeft) in [(0x3FFF_FFFF, false), (0x4000_0000, true)] as [(UInt32, Bool)] {
            let data = maker(colorType: 6).file.promising(pngWidth: width, height: 1)
            try data.reading { reader throws(ImageCodecError) in
                let file = try PNGFileHeader(scanning: reader)
                #expect((try PNGFastPath(file, reader) == nil) == isLeft)
            }
        }
    }

    @Test func unknownMethodsAreCorrupt() {
        for offset in [10, 11, 12] {
            var list = maker().chunks
            list.chunks[0].data[offset] = 2
            expectCorrupt(list.file, "method")
        }
    }

    /// A profile with tables may take a megabyte; the fast path supports that.
    @Test func largeProfilesAreExpandedToDetermineTheirSize() {
        var generator = SeededGenerator(seed: 7)
        let noise = PNGMaker(1_000, 100, colorType: 0, using: &generator) { _ in 0 }
        var list = maker().chunks
        list.chunks.insert(.init(type: "iCCP", data: Array("a\0\0".utf8) + noise.stream), at: 1)
        #expect(noise.stream.count > 100_000 && PNGResult.fastPath(list.file).isImage)
        #expect(PNGResult.fastPath(list.file) == PNGResult.libspng(list.file))
        // A corrupt profile is left to libspng.
        list.chunks[1].data[5_000] ^= 1
        #expect(PNGResult.fastPath(list.file) == .leftToLibspng)
    }

    /// The fast path does not unpack metadata; files that libspng might refuse are left to libspng.
    @Test func metadataThatMayExpandTooFarAreLeftToLibspng() {
        var list = maker().chunks
        list.chunks.insert(.init(type: "zTXt", data: Array("a\0\0".utf8) + maker().stream), at: 1)
        #expect(PNGResult.fastPath(list.file).isImage)
        list.chunks[1].data = Array("a\0\0".utf8) + [UInt8](repeating: 0, count: 20_000)
        #expect(PNGResult.fastPath(list.file) == .leftToLibspng)
        list.chunks[1] = .init(
            type: "iTXt", data: Array("a\0\0\0\0\0".utf8) + [UInt8](repeating: 65, count: 20_000))
        #expect(PNGResult.fastPath(list.file).isImage)
        list.chunks[1].data[2] = 1
        #expect(PNGResult.fastPath(list.file) == .leftToLibspng)
    }
}
