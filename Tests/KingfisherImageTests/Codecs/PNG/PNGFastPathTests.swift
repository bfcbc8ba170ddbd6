import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// The own way through PNGs of 8 bits against libspng's: for every file the same image, or none.
@Suite struct PNGFastPathTests {
    @Test(arguments: ReferenceTests.pngs + ReferenceTests.apngs + ["Photos/badge.png"])
    func fixturesAreWhatLibspngMakesOfThem(name: String) throws {
        let data = try Fixtures.data(named: name)
        let (own, libspng) = (PNGAnswer.own(data), PNGAnswer.libspng(data))
        let file = try data.reading(PNGFileHeader.init(scanning:))
        let isKeyed = file.hasTransparencyChunk && (file.colorType == .rgb || file.colorType == .gray)
        if file.bitDepth == 8, !file.isInterlaced, !isKeyed {
            #expect(own == libspng)
            #expect(own.isImage)
        } else {
            #expect(own == .left)
        }
    }

    /// Filters alone, in turns and at random, on sizes around the groups of rows and pixels of the loops.
    @Test(arguments: [0, 2, 3, 4, 6]) func everyFilterOnEveryKindOfPixel(colorType: Int) {
        var generator = SeededGenerator(seed: UInt64(colorType))
        let patterns: [(Int) -> UInt8] =
            (0...4).map { filter in { _ in UInt8(filter) } } + [
                { UInt8($0 % 5) }, { $0 % 3 == 0 ? 4 : 1 }, { _ in UInt8.random(in: 0...4) },
            ]
        for (width, height) in [(1, 1), (2, 5), (3, 4), (7, 9), (16, 8), (33, 21), (70, 3)] {
            for pattern in patterns {
                let maker = PNGMaker(width, height, colorType: colorType, using: &generator, filter: pattern)
                let (own, libspng) = (PNGAnswer.own(maker.file), PNGAnswer.libspng(maker.file))
                #expect(own.isImage && own == libspng, "\(width)x\(height)")
            }
        }
    }

    /// Rows that do not fit into what is unpacked at once, one and several of them.
    @Test(arguments: [(90_000, 3), (20_000, 9), (700, 301)]) func longRowsAndMany(width: Int, height: Int) {
        var generator = SeededGenerator(seed: UInt64(width))
        let maker = PNGMaker(width, height, colorType: 2, using: &generator) { UInt8(4 - $0 % 7 % 5) }
        let own = PNGAnswer.own(maker.file)
        #expect(own.isImage && own == .libspng(maker.file))
    }

    @Test func transparencyOfPalettes() {
        var generator = SeededGenerator(seed: 3)
        var maker = PNGMaker(30, 20, colorType: 3, using: &generator) { UInt8($0 % 5) }
        maker.transparency = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(PNGAnswer.own(maker.file).isImage)
        #expect(PNGAnswer.own(maker.file) == .libspng(maker.file))
        // Indices outside a palette are black, and more opacities than colours nothing.
        maker.palette = Array(maker.palette.prefix(300))
        #expect(PNGAnswer.own(maker.file) == .left)
        maker.transparency = Array(maker.transparency.prefix(100))
        #expect(PNGAnswer.own(maker.file).isImage)
        #expect(PNGAnswer.own(maker.file) == .libspng(maker.file))
    }

    @Test func theStreamMayLieInAnyPieces() {
        var generator = SeededGenerator(seed: 8)
        let maker = PNGMaker(40, 30, colorType: 6, using: &generator) { UInt8($0 % 5) }
        let stream = maker.stream
        let whole = PNGAnswer.own(maker.file)
        let bytes = stream.map { [$0] }
        let withEmpty: [[UInt8]] = [[]] + bytes.prefix(7).flatMap { [$0, []] } + [Array(stream[7...]), []]
        let halves = [Array(stream[..<2_000]), Array(stream[2_000...])]
        let surplus = [stream + [1, 2, 3], [4, 5]]
        for pieces in [bytes, withEmpty, halves, surplus] {
            let file = maker.chunks(data: pieces).file
            #expect(PNGAnswer.own(file) == whole)
            #expect(PNGAnswer.libspng(file) == whole)
        }
    }

    /// Two kinds of pieces, those put together and those taken as they are, one after the other.
    @Test func largeAndSmallPiecesTakeTurns() {
        var generator = SeededGenerator(seed: 9)
        let maker = PNGMaker(300, 200, colorType: 2, using: &generator) { UInt8($0 % 5) }
        var (pieces, rest) = ([[UInt8]](), maker.stream[...])
        while !rest.isEmpty {
            let count = [1, 3, 700, 4_095, 4_096, 9_000].randomElement(using: &generator) ?? 1
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let own = PNGAnswer.own(maker.chunks(data: pieces).file)
        #expect(own.isImage && own == .libspng(maker.file))
    }

    /// Bytes changed anywhere but in the checksums, which are made to fit: otherwise nothing else is tested.
    @Test(arguments: ["gray8", "grayalpha8", "rgb8", "rgba8", "palette8", "palette8-trns"])
    func changedFilesGetTheSameAnswer(name: String) throws {
        let original = ChunkList(try Fixtures.data(named: "PNG/\(name).png"))
        var generator = SeededGenerator(seed: 11)
        var images = 0
        for _ in 0..<600 {
            var list = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) { list.change(using: &generator) }
            let own = PNGAnswer.own(list.file)
            guard own != .left else { continue }
            let libspng = PNGAnswer.libspng(list.file)
            #expect(own == libspng || own.isRefusal && libspng.isRefusal)
            images += own.isImage ? 1 : 0
        }
        #expect(images > 10)
    }

    /// The same for rows and streams that are changed before they are written: most of these are images.
    @Test(arguments: [0, 2, 3, 4, 6]) func changedRowsGetTheSameAnswer(colorType: Int) {
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
            let own = PNGAnswer.own(maker.file)
            guard own != .left else { continue }
            #expect(own == .libspng(maker.file))
            images += own.isImage ? 1 : 0
        }
        #expect(images > 50)
    }
}

extension ChunkList {
    /// Changes a byte of a chunk, its type now and then, or takes a chunk away, or writes it twice.
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
