import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// The fast path for PNGs of 8 bits gives the result of libspng for every file, or leaves the file to
/// libspng.
@Suite struct PNGFastPathTests {
    @Test(arguments: ReferenceTests.pngs + ReferenceTests.apngs + ["Photos/badge.png"])
    func fixturesMatchLibspng(name: String) throws {
        let data = try Fixtures.data(named: name)
        let (own, libspng) = (PNGResult.fastPath(data), PNGResult.libspng(data))
        let file = try data.reading(PNGFileHeader.init(scanning:))
        let isKeyed = file.hasTransparencyChunk && (file.colorType == .rgb || file.colorType == .gray)
        if file.bitDepth == 8, !file.isInterlaced, !isKeyed {
            #expect(own == libspng)
            #expect(own.isImage)
        } else {
            #expect(own == .leftToLibspng)
        }
    }

    /// Single, alternating and random filters, for sizes around the loops' groups of rows and pixels.
    @Test(arguments: [0, 2, 3, 4, 6]) func everyFilterMatchesLibspng(colorType: Int) {
        var generator = SeededGenerator(seed: UInt64(colorType))
        var patterns: [(Int) -> UInt8] = [
            { UInt8($0 % 5) }, { $0 % 3 == 0 ? 4 : 1 }, { _ in UInt8.random(in: 0...4) },
        ]
        for filter: UInt8 in 0...4 { patterns.append { _ in filter } }
        for (width, height) in [(1, 1), (2, 5), (3, 4), (7, 9), (16, 8), (33, 21), (70, 3)] {
            for pattern in patterns {
                let maker = PNGMaker(width, height, colorType: colorType, using: &generator, filter: pattern)
                let (own, libspng) = (PNGResult.fastPath(maker.file), PNGResult.libspng(maker.file))
                #expect(own.isImage && own == libspng, "\(width)x\(height)")
            }
        }
    }

    /// Rows longer than the unpacking buffer, one and several.
    @Test(arguments: [(90_000, 3), (20_000, 9), (700, 301)]) func longRowsMatchLibspng(
        width: Int, height: Int
    ) {
        var generator = SeededGenerator(seed: UInt64(width))
        let maker = PNGMaker(width, height, colorType: 2, using: &generator) { UInt8(4 - $0 % 7 % 5) }
        let own = PNGResult.fastPath(maker.file)
        #expect(own.isImage && own == .libspng(maker.file))
    }

    @Test func paletteTransparencyMatchesLibspng() {
        var generator = SeededGenerator(seed: 3)
        var maker = PNGMaker(30, 20, colorType: 3, using: &generator) { UInt8($0 % 5) }
        maker.transparency = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(PNGResult.fastPath(maker.file).isImage)
        #expect(PNGResult.fastPath(maker.file) == .libspng(maker.file))
        // Indices outside the palette are black; extra opacities have no effect.
        maker.palette = Array(maker.palette.prefix(300))
        #expect(PNGResult.fastPath(maker.file) == .leftToLibspng)
        maker.transparency = Array(maker.transparency.prefix(100))
        #expect(PNGResult.fastPath(maker.file).isImage)
        #expect(PNGResult.fastPath(maker.file) == .libspng(maker.file))
    }

    @Test func theStreamMayBeSplitAnywhere() {
        var generator = SeededGenerator(seed: 8)
        let maker = PNGMaker(40, 30, colorType: 6, using: &generator) { UInt8($0 % 5) }
        let stream = maker.stream
        let whole = PNGResult.fastPath(maker.file)
        let bytes = stream.map { [$0] }
        let withEmpty: [[UInt8]] = [[]] + bytes.prefix(7).flatMap { [$0, []] } + [Array(stream[7...]), []]
        let halves = [Array(stream[..<2_000]), Array(stream[2_000...])]
        let surplus = [stream + [1, 2, 3], [4, 5]]
        for pieces in [bytes, withEmpty, halves, surplus] {
            let file = maker.chunks(data: pieces).file
            #expect(PNGResult.fastPath(file) == whole)
            #expect(PNGResult.libspng(file) == whole)
        }
    }

    /// Small pieces are joined and large ones are used directly.
    @Test func largeAndSmallPiecesMayAlternate() {
        var generator = SeededGenerator(seed: 9)
        let maker = PNGMaker(300, 200, colorType: 2, using: &generator) { UInt8($0 % 5) }
        var (pieces, rest) = ([[UInt8]](), maker.stream[...])
        while !rest.isEmpty {
            let count = [1, 3, 700, 4_095, 4_096, 9_000].randomElement(using: &generator) ?? 1
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let own = PNGResult.fastPath(maker.chunks(data: pieces).file)
        #expect(own.isImage && own == .libspng(maker.file))
    }

    /// Changes any bytes except the checksums, which are recomputed: otherwise only these would be tested.
    @Test(arguments: ["gray8", "grayalpha8", "rgb8", "rgba8", "palette8", "palette8-trns"])
    func changedFilesGiveTheResultOfLibspng(name: String) throws {
        let original = ChunkList(try Fixtures.data(named: "PNG/\(name).png"))
        var generator = SeededGenerator(seed: 11)
        var images = 0
        for _ in 0..<600 {
            var list = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) { list.change(using: &generator) }
            let own = PNGResult.fastPath(list.file)
            guard own != .leftToLibspng else { continue }
            let libspng = PNGResult.libspng(list.file)
            #expect(own == libspng || own.isRefusal && libspng.isRefusal)
            images += own.isImage ? 1 : 0
        }
        #expect(images > 10)
    }

    /// Changes rows and streams before they are written: most of these files are still images.
    @Test(arguments: [0, 2, 3, 4, 6]) func changedRowsGiveTheResultOfLibspng(colorType: Int) {
        var generator = SeededGenerator(seed: 12)
        var images = 0
        for _ in 0..<200 {
            let size = (0..<2).map { _ in Int.random(in: 1...12, using: &generator) }
            var maker = PNGMaker(size[0], size[1], colorType: colorType, using: &generator) { UInt8($0 % 5) }
            if Bool.random(using: &generator) {
                let place = Int.random(in: 0..<maker.rows.count, using: &generator)
                maker.rows[place] = UInt8.random(in: 0...9, using: &generator)
            }
            if Int.random(in: 0..<9, using: &generator) == 0 { maker.rows.removeLast() }
            if Int.random(in: 0..<9, using: &generator) == 0 { maker.rows.append(3) }
            let own = PNGResult.fastPath(maker.file)
            guard own != .leftToLibspng else { continue }
            #expect(own == .libspng(maker.file))
            images += own.isImage ? 1 : 0
        }
        #expect(images > 50)
    }
}

extension ChunkList {
    /// Changes a byte of a chunk, sometimes of its type, or removes a chunk, or duplicates it.
    fileprivate mutating func change(using generator: inout SeededGenerator) {
        let place = Int.random(in: 0..<chunks.count, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: chunks.remove(at: place)
        case 1: chunks.insert(chunks[place], at: Int.random(in: 0...chunks.count, using: &generator))
        case 2:
            chunks[place].type =
                ["tEXt", "IDAT", "PLTE", "tRNS", "gAMA", "QUUX", "IEND"]
                .randomElement(using: &generator) ?? "IDAT"
        default:
            guard !chunks[place].data.isEmpty else { return }
            let offset = Int.random(in: 0..<chunks[place].data.count, using: &generator)
            chunks[place].data[offset] =
                [0, 1, 255, chunks[place].data[offset] ^ 1, UInt8.random(in: 0...255, using: &generator)]
                .randomElement(using: &generator) ?? 0
        }
        if chunks.isEmpty { chunks.append(Chunk(type: "IEND", data: [])) }
    }
}
