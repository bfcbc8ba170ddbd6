import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// Animated PNG files with valid checksums whose chunks violate the specification.
@Suite struct APNGRulesTests {
    private let codec = APNGCodec()

    private func error(
        _ name: String = "palette", _ change: (inout ChunkList) -> Void
    ) throws -> ImageCodecError? {
        let data = try Fixtures.data(named: "APNG/\(name).apng")
        var list = ChunkList(data)
        #expect(list.file == data)
        change(&list)
        do throws(ImageCodecError) {
            _ = try codec.frameSource(for: list.file)
            return nil
        } catch {
            return error
        }
    }

    @Test func anUnchangedFileIsAccepted() throws {
        #expect(try error { _ in } == nil)
    }

    @Test(arguments: [0, 5, 7, 9000] as [UInt32])
    func aWrongNumberOfFramesIsCorrupt(count: UInt32) throws {
        let expected: ImageCodecError =
            count < 6
            ? .corrupt("more frames than the file declares")
            : .corrupt("a number of frames other than the file declares")
        #expect(try error { $0.set("acTL", at: 0, to: count) } == expected)
    }

    @Test func tooManyFramesInTheHeaderAreRefused() throws {
        #expect(try error { $0.set("acTL", at: 0, to: 10_001) } == .tooManyFrames)
    }

    @Test(arguments: ["acTL", "PLTE", "fcTL"]) func duplicateChunksAreCorrupt(type: String) throws {
        let errors = [
            "acTL": "acTL out of place", "PLTE": "too many colours", "fcTL": "fcTL out of place",
        ]
        let expected = try #require(errors[type])
        #expect(
            try error { list in
                let place = list.places(type)[0]
                list.chunks.insert(list.chunks[place], at: place)
            } == .corrupt(expected))
    }

    @Test func gapsInSequenceNumbersAreCorrupt() throws {
        let expected = ImageCodecError.corrupt("a chunk that is out of sequence")
        for (type, number) in [("fcTL", 0), ("fcTL", 3), ("fdAT", 0), ("fdAT", 4)] {
            #expect(try error { $0.set(type, number, at: 0, to: 100) } == expected)
        }
        #expect(
            try error("many-chunks") { list in
                let (one, other) = (list.places("fdAT")[1], list.places("fdAT")[2])
                list.chunks.swapAt(one, other)
            } == expected)
    }

    @Test func aFrameControlMayPrecedeTheAnimationControl() throws {
        #expect(
            try error { list in
                list.chunks.swapAt(list.places("acTL")[0], list.places("fcTL")[0])
            } == nil)
    }

    @Test func framesWithoutDataAreCorrupt() throws {
        // Later chunks continue the sequence numbers, so only the data are missing.
        let missing = try error { list in
            list.chunks.remove(at: list.places("fdAT")[4])
        }
        #expect(missing == .corrupt("a number of frames other than the file declares"))
        #expect(
            try error { list in
                list.chunks.remove(at: list.places("fdAT")[2])
            } == .corrupt("fcTL out of place"))
        #expect(
            try error { list in
                let control = list.places("fcTL")[1]
                list.set("fdAT", 0, at: 0, to: 1)
                list.chunks.remove(at: control)
            } == .corrupt("fdAT without fcTL"))
    }

    @Test func frameDataBeforeOrWithinTheDefaultImageAreCorrupt() throws {
        #expect(
            try error { list in
                let data = list.chunks.remove(at: list.places("fdAT")[0])
                list.chunks.insert(data, at: list.places("IDAT")[0])
            } == .corrupt("fdAT out of place"))
        #expect(
            try error("many-chunks") { list in
                let text = ChunkList.Chunk(type: "tEXt", data: Array("Comment\0split".utf8))
                list.chunks.insert(text, at: list.places("IDAT")[2])
            } == .corrupt("IDAT out of place"))
        #expect(
            try error { list in
                let palette = list.chunks.remove(at: list.places("PLTE")[0])
                list.chunks.insert(palette, at: list.places("IDAT")[0] + 1)
            } == .corrupt("PLTE out of place"))
    }

    @Test func framesOutsideTheCanvasAreCorrupt() throws {
        let expected = ImageCodecError.corrupt("a frame that is not on the canvas")
        for (offset, value) in [(4, 0), (8, 0), (4, 21), (8, 16), (12, 20), (16, .max), (4, .max)]
            as [(Int, UInt32)]
        {
            #expect(try error { $0.set("fcTL", 1, at: offset, to: value) } == expected, "\(offset): \(value)")
        }
        #expect(
            try error { $0.set("fcTL", 0, at: 4, to: 19) } == .corrupt("a default image with another size"))
    }

    @Test func unknownDisposalAndBlendOperationsAreCorrupt() throws {
        for offset in [24, 25] {
            #expect(
                try error { list in
                    list.chunks[list.places("fcTL")[2]].data[offset] = 3
                } == .corrupt("an unknown disposal or blend operation"))
        }
    }

    @Test func unknownChunksAreIgnoredUnlessTheyAreCritical() throws {
        let place = 3
        #expect(try error { $0.chunks.insert(.init(type: "abCD", data: [1, 2]), at: place) } == nil)
        #expect(
            try error { $0.chunks.insert(.init(type: "ABCD", data: [1, 2]), at: place) }
                == .corrupt("an unknown critical chunk"))
    }

    @Test func chunksOfWrongLengthAreCorrupt() throws {
        for (type, expected) in [("acTL", "acTL out of place"), ("fcTL", "fcTL out of place")] {
            #expect(
                try error { list in
                    list.chunks[list.places(type)[0]].data.append(0)
                } == .corrupt(expected))
        }
        #expect(
            try error { list in
                list.chunks[list.places("fdAT")[0]].data = [0, 0]
            } == .corrupt("fdAT out of place"))
        #expect(
            try error { list in
                list.chunks[list.places("PLTE")[0]].data = Array(repeating: 0, count: 771)
            } == .corrupt("too many colours"))
    }

    @Test func wrongChecksumsOfTheStructureAreFoundBeforeDecoding() throws {
        let data = try Fixtures.data(named: "APNG/palette-trns.apng")
        for type in ["IHDR", "acTL", "PLTE", "tRNS", "fcTL"] {
            let checksum = try #require(ChunkList.end(of: type, in: data)) - 1
            let damaged = data.replacing([data[checksum] ^ 1], at: checksum)
            #expect(throws: ImageCodecError.corrupt("a chunk with a wrong checksum")) {
                try codec.header(of: damaged)
            }
        }
    }

    @Test func hugeCanvasesAreRefused() throws {
        let huge = try Fixtures.data(named: "APNG/odd.apng").promising(pngWidth: 60_000, height: 60_000)
        #expect(throws: ImageCodecError.tooLarge(width: 60_000, height: 60_000)) {
            try codec.header(of: huge)
        }
    }

    /// 9,400 x 9,600 pixels of 8 bits and 6,700 x 7,000 of 16 fit in the limit once, but not three times.
    @Test(arguments: [(8, 9_400, 9_600), (16, 6_700, 7_000), (8, 6_700, 7_000)] as [(UInt8, UInt32, UInt32)])
    func aCanvasTooLargeToComposeIsRefused(depth: UInt8, width: UInt32, height: UInt32) throws {
        var list = ChunkList(try Fixtures.data(named: "APNG/odd.apng"))
        let header = list.places("IHDR")[0]
        list.chunks[header].data[8] = depth
        for (type, offset) in [("IHDR", 0), ("fcTL", 4)] {
            list.set(type, at: offset, to: width)
            list.set(type, at: offset + 4, to: height)
        }
        if depth == 8, width == 6_700 {
            #expect(try codec.header(of: list.file).frameCount > 1)
        } else {
            #expect(throws: ImageCodecError.tooMuchMemory) { try codec.header(of: list.file) }
        }
    }
}

extension ChunkList {
    /// The offset behind the first chunk of `type`.
    static func end(of type: String, in data: Data) -> Int? {
        guard let name = data.offset(of: Array(type.utf8)) else { return nil }
        return name + 8 + data[name - 4..<name].reduce(0) { $0 << 8 | Int($1) }
    }
}
