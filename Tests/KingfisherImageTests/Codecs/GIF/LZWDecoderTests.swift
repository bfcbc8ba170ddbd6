import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

@Suite struct LZWDecoderTests {
    private func unpack(_ blocks: Data, minimumCodeSize: Int, count: Int) throws -> [UInt8] {
        let decoder = try LZWDecoder(count: count)
        _ = try blocks.reading { reader throws(ImageCodecError) in
            try decoder.unpack(LZWCodes(reader, at: 0), minimumCodeSize: minimumCodeSize)
        }
        return Array(UnsafeBufferPointer(start: decoder.indices, count: count))
    }

    struct Stream: CustomTestStringConvertible {
        let testDescription: String
        let codeSize: Int
        let codes: [(Int, Int)]
        let indices: [UInt8]
    }

    static let streams = [
        Stream(
            testDescription: "literals followed by the end code", codeSize: 2,
            codes: [(4, 3), (1, 3), (2, 3), (3, 3), (5, 4)], indices: [1, 2, 3]),
        Stream(
            testDescription: "no clear code and no end code", codeSize: 2,
            codes: [(1, 3), (2, 3)], indices: [1, 2]),
        Stream(
            testDescription: "a run of one index: each code refers to the string being added", codeSize: 2,
            codes: [(4, 3), (3, 3), (6, 3), (7, 3)] + (8...14).map { ($0, 4) },
            indices: Array(repeating: 3, count: 55)),
        Stream(
            testDescription: "strings made of earlier strings", codeSize: 2,
            codes: [(4, 3), (1, 3), (2, 3), (6, 3), (8, 4), (7, 4), (10, 4)],
            indices: [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]),
        Stream(
            testDescription: "a clear code between strings", codeSize: 2,
            codes: [(4, 3), (0, 3), (6, 3), (4, 3), (2, 3), (6, 3)], indices: [0, 0, 0, 2, 2, 2]),
        Stream(
            testDescription: "consecutive clear codes", codeSize: 2,
            codes: [(4, 3), (4, 3), (4, 3), (1, 3)], indices: [1]),
        Stream(
            testDescription: "a last string longer than the frame", codeSize: 2,
            codes: [(4, 3), (1, 3), (6, 3), (7, 3)], indices: [1, 1, 1, 1]),
        Stream(
            testDescription: "one bit for each index", codeSize: 1,
            codes: [(2, 2), (0, 2), (1, 3), (4, 3), (5, 3)], indices: [0, 1, 0, 1, 1, 0]),
        Stream(
            testDescription: "a single index", codeSize: 0, codes: [(0, 1), (3, 2), (4, 3)],
            indices: [0, 0, 0, 0, 0, 0]),
    ]

    @Test(arguments: streams) func decodesTheExpectedIndices(stream: Stream) throws {
        var bits = CodeBits()
        for (code, width) in stream.codes { bits.append(code, width: width) }
        for length in [1, 2, 255] {
            let indices = try unpack(
                bits.blocks(of: length), minimumCodeSize: stream.codeSize, count: stream.indices.count)
            #expect(indices == stream.indices)
        }
    }

    /// The sample image of Matthew Flickinger's "What's in a GIF": ten by ten in four colours.
    @Test func decodesAPublishedExample() throws {
        let blocks = Data([
            0x16, 0x8C, 0x2D, 0x99, 0x87, 0x2A, 0x1C, 0xDC, 0x33, 0xA0, 0x02, 0x75, 0xEC, 0x95, 0xFA, 0xA8,
            0xDE, 0x60, 0x8C, 0x04, 0x91, 0x4C, 0x01, 0x00,
        ])
        let rows =
            Array(repeating: "1111122222", count: 3) + Array(repeating: "1110000222", count: 2)
            + Array(repeating: "2220000111", count: 2) + Array(repeating: "2222211111", count: 3)
        let expected = rows.joined().compactMap(\.wholeNumberValue).map(UInt8.init)
        #expect(try unpack(blocks, minimumCodeSize: 2, count: 100) == expected)
    }

    @Test func aFullTableRemainsValidWithoutAClearCode() throws {
        let indices: [UInt8] = (0..<60_000).map { (number: Int) in UInt8(number * number / 7 % 16) }
        // Any literals fill the table; from then on, codes have twelve bits.
        var bits = CodeBits()
        bits.append(16, width: 5)
        for (number, index) in indices.enumerated() {
            let available = min(18 + number, 4096)
            bits.append(Int(index), width: max(5, (available - 1).bitLength))
        }
        #expect(try unpack(bits.blocks(), minimumCodeSize: 4, count: indices.count) == indices)
    }

    /// Literals below sixteen until the table holds 4,096 strings, the last of which starts with the last
    /// literal; then `codes` of twelve bits.
    private func fullTable(_ literals: [Int], then codes: [Int]) -> CodeBits {
        var bits = CodeBits()
        bits.append(16, width: 5)
        for (number, index) in literals.enumerated() {
            bits.append(index, width: max(5, (min(18 + number, 4096) - 1).bitLength))
        }
        for code in codes { bits.append(code, width: 12) }
        return bits
    }

    /// The last string of a table is 4095; the first code after it completes it.
    @Test(arguments: [
        ([4095], [7, 7]), ([3, 4095], [3, 7, 3]), ([4095, 4095, 4095], [7, 7, 7, 7, 7, 7]),
        ([3, 4095, 9, 4095], [3, 7, 3, 9, 7, 3]), ([4094, 4095, 1, 4095], [6, 7, 7, 6, 1, 7, 6]),
    ]) func theLastStringOfAFullTableIsDecoded(codes: [Int], indices: [UInt8]) throws {
        // Each literal starts a string.
        let literals = [Int](repeating: 5, count: 4096 - 18 - 2) + [6, 7]
        let bits = fullTable(literals, then: codes)
        let expected = literals.map(UInt8.init) + indices
        #expect(LZWReference.unpack(bits.bytes, minimumCodeSize: 4, count: expected.count) == expected)
        #expect(try unpack(bits.blocks(), minimumCodeSize: 4, count: expected.count) == expected)
    }

    @Test func matchesTheReferenceDecoderAfterAFullTable() throws {
        var generator = SeededGenerator(seed: 4095)
        for round in 0..<40 {
            let literals = (0..<4078 + round % 3).map { _ in Int.random(in: 0..<16, using: &generator) }
            let codes = (0..<60).map { _ in
                let code = Int.random(in: 0..<4096, using: &generator)
                return code == 16 || code == 17 || Bool.random(using: &generator) ? 4095 : code
            }
            let bits = fullTable(literals, then: codes)
            let count = literals.count + codes.count
            let expected = try #require(LZWReference.unpack(bits.bytes, minimumCodeSize: 4, count: count))
            #expect(try unpack(bits.blocks(), minimumCodeSize: 4, count: count) == expected, "round \(round)")
        }
    }

    static let mistakes: [(name: String, codes: [(Int, Int)], message: String)] = [
        ("an early end code", [(4, 3), (1, 3), (5, 3)], "truncated LZW codes"),
        ("no more bytes", [(4, 3), (1, 3)], "truncated LZW codes"),
        ("no codes", [], "truncated LZW codes"),
        ("a string code after the clear code", [(4, 3), (6, 3), (1, 3), (1, 3)], "an undefined LZW code"),
        ("a string code that is two ahead", [(4, 3), (1, 3), (7, 3), (1, 3)], "an undefined LZW code"),
        (
            "a string code from before a clear code", [(4, 3), (1, 3), (6, 3), (4, 3), (6, 3)],
            "an undefined LZW code"
        ),
    ]

    @Test(arguments: mistakes)
    func refusesInvalidStreams(name: String, codes: [(Int, Int)], message: String) {
        var bits = CodeBits()
        for (code, width) in codes { bits.append(code, width: width) }
        #expect(throws: ImageCodecError.corrupt(message), "\(name)") {
            try unpack(bits.blocks(), minimumCodeSize: 2, count: 9)
        }
    }

    @Test func refusesCodesThatAreTooWide() {
        for size in [9, 11, 12, 255] {
            #expect(throws: ImageCodecError.corrupt("LZW codes of \(size) bits")) {
                try unpack(Data([1, 0, 0]), minimumCodeSize: size, count: 1)
            }
        }
    }

    /// Streams that are mostly valid; some have a mistake, some are truncated, some are longer than needed.
    @Test func matchesTheReferenceDecoderOnRandomCodes() {
        var generator = SeededGenerator(seed: 24)
        var whole = 0
        for round in 0..<400 {
            let size = Int.random(in: 0...8, using: &generator)
            let bits = randomCodes(round % 20 == 0 ? 6000 : 300, size, using: &generator)
            let count = Int.random(in: 1...3000, using: &generator) * (round % 20 == 0 ? 20 : 1)
            let expected = LZWReference.unpack(bits.bytes, minimumCodeSize: size, count: count)
            let blocks = bits.blocks(of: Int.random(in: 1...255, using: &generator))
            #expect((try? unpack(blocks, minimumCodeSize: size, count: count)) == expected, "round \(round)")
            whole += expected == nil ? 0 : 1
        }
        #expect((50...350).contains(whole), "both kinds are well represented: \(whole) of 400")
    }

    private func randomCodes(
        _ count: Int, _ size: Int, using generator: inout SeededGenerator
    ) -> CodeBits {
        var bits = CodeBits()
        let clear = 1 << size
        let mistakes = Int.random(in: 0...1, using: &generator) * 3
        var (available, width) = (clear + 2, size + 1)
        for _ in 0..<count {
            let code =
                switch Int.random(in: 0..<5000, using: &generator) {
                case 0..<mistakes: Int.random(in: 0..<1 << width, using: &generator)
                case 10..<15: clear
                case 100..<600: available - 1
                default: Int.random(in: 0..<available, using: &generator)
                }
            // An end code would end most streams early.
            if code == clear + 1, mistakes == 0 || available > clear + 2 { continue }
            bits.append(code, width: width)
            available = code == clear ? clear + 2 : min(available + 1, 4096)
            width = code == clear ? size + 1 : max(width, (available - 1).bitLength)
        }
        return bits
    }

    @Test(arguments: 2...8) func packedIndicesAreUnpackedUnchanged(size: Int) {
        var generator = SeededGenerator(seed: UInt64(size))
        for count in [0, 1, 2, 254, 255, 256, 3839, 3840, 20_000] {
            for spread in [1, 2, 1 << size] {
                let indices = (0..<count).map { _ in UInt8(Int.random(in: 0..<spread, using: &generator)) }
                let data = LZWEncoder.pack(indices, minimumCodeSize: size)
                let (codeSize, bytes, isWhole) = LZWReference.joined(data)
                #expect(codeSize == size && isWhole)
                #expect(LZWReference.unpack(bytes, minimumCodeSize: size, count: count) == indices)
                #expect(LZWReference.unpack(bytes, minimumCodeSize: size, count: count + 1) == nil)
            }
        }
    }

    @Test func packsTheSameBytesAsAnotherEncoder() {
        // From the LZW encoder of Tests/Fixtures/generate.
        #expect(LZWEncoder.pack([0, 1], minimumCodeSize: 2) == [2, 2, 0x44, 0x0A, 0])
        #expect(
            LZWEncoder.pack([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7], minimumCodeSize: 3)
                == [3, 8, 0x08, 0x21, 0x43, 0x65, 0x47, 0x31, 0x07, 0x13, 0])
        #expect(
            LZWEncoder.pack(Array(repeating: 5, count: 40), minimumCodeSize: 3)
                == [3, 6, 0x58, 0xBA, 0xDC, 0xFE, 0x90, 0x25, 0])
    }
}

extension Int {
    fileprivate var bitLength: Int { Int.bitWidth - leadingZeroBitCount }
}
