import Foundation
import Testing

@testable import KingfisherSharedCache

struct RESPParserTests {
    /// Parses `text` in parts of `step` bytes.
    private func parse(
        _ text: String, step: Int = .max, limits: RESPParser.Limits = .init()
    ) throws -> [RESPValue] {
        var parser = RESPParser(limits)
        var replies: [RESPValue] = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + min(step, bytes.count))
            try Array(bytes[start..<end]).withUnsafeBytes { try parser.parse($0, into: &replies) }
            start = end
        }
        return replies
    }

    private static let sample =
        "+OK\r\n-ERR no\r\n:-42\r\n$3\r\na\nb\r\n$0\r\n\r\n$-1\r\n_\r\n#t\r\n,1.5\r\n(123\r\n!5\r\nERR x\r\n"
        + "*2\r\n*0\r\n%1\r\n+k\r\n:1\r\n~1\r\n+s\r\n>2\r\n+message\r\n+m\r\n=5\r\ntxt:a\r\n"

    private static let values: [RESPValue] = [
        .text("OK"), .error("ERR no"), .integer(-42), .bytes(Data("a\nb".utf8)), .bytes(Data()), .null, .null,
        .boolean(true), .double(1.5), .text("123"), .error("ERR x"),
        .array([.array([]), .array([.text("k"), .integer(1)])]), .array([.text("s")]),
        .bytes(Data("txt:a".utf8)),
    ]

    @Test(
        "Replies of every type are read without pushes, in any division of the bytes",
        arguments: [1, 2, 3, 7, 1000])
    func types(_ step: Int) throws {
        #expect(try parse(Self.sample, step: step) == Self.values)
    }

    @Test("An incomplete reply gives no value at any length")
    func truncated() throws {
        let text = "*2\r\n$3\r\nabc\r\n:12\r\n"
        for length in 0..<text.utf8.count {
            let part = String(decoding: text.utf8.prefix(length), as: UTF8.self)
            #expect(try parse(part).isEmpty)
        }
        #expect(try parse(text) == [.array([.bytes(Data("abc".utf8)), .integer(12)])])
    }

    @Test(
        "Malformed bytes are an error",
        arguments: [
            ("?x\r\n", RESPError.unknownType(0x3F)), ("\r\n", .malformedLine), (":1x\r\n", .malformedLine),
            ("+OK\n", .malformedLine), ("#y\r\n", .malformedLine), ("$-2\r\n", .badLength),
            ("$+1\r\n", .badLength), ("$?\r\n", .badLength), ("*99999999999999999999\r\n", .badLength),
            ("$1\r\nab\r\n", .missingTerminator), ("$1\r\na\rb", .missingTerminator),
            (">0\r\n", .badLength), (">-1\r\n", .badLength), ("*1\r\n>1\r\n", .badLength),
            (">2\r\n+a\r\n>1\r\n", .badLength), (">1\r\n:x\r\n", .malformedLine),
        ])
    func malformed(_ text: String, _ error: RESPError) {
        #expect(throws: error) { try parse(text) }
        #expect(throws: error) { try parse(text, step: 1) }
    }

    @Test("Limits of lines, strings, nesting and elements are errors")
    func limits() {
        let limits = RESPParser.Limits(line: 8, bulk: 16, skipped: 32, nesting: 2, elements: 4)
        #expect(throws: RESPError.lineTooLong) { try parse("+12345678901", limits: limits) }
        #expect(throws: RESPError.tooManyBytes) { try parse("$33\r\n", limits: limits) }
        #expect(throws: RESPError.tooDeep) { try parse("*1\r\n*1\r\n*1\r\n", limits: limits) }
        #expect(throws: RESPError.tooManyElements) { try parse("*5\r\n", limits: limits) }
        #expect(throws: RESPError.tooManyElements) { try parse("%3\r\n", limits: limits) }
        #expect(throws: RESPError.tooManyElements) { try parse("*3\r\n*3\r\n", limits: limits) }
        #expect(throws: RESPError.tooManyElements) {
            try parse("%4611686018427387904\r\n", limits: .init(elements: .max >> 2))
        }
    }

    @Test("A string above the limit is skipped, and the next reply is read", arguments: [1, 5, 100])
    func oversized(_ step: Int) throws {
        let limits = RESPParser.Limits(bulk: 4, skipped: 32)
        let text = "$10\r\n0123456789\r\n+OK\r\n"
        #expect(try parse(text, step: step, limits: limits) == [.oversized(bytes: 10), .text("OK")])
    }

    @Test(
        "All bytes of one reply are limited together, and of a push",
        arguments: [
            "+abcdef\r\n", "-abcdef\r\n", "(123456\r\n", "$2\r\nab\r\n", "!2\r\nab\r\n", "=2\r\nab\r\n",
            ":123456\r\n", ",1.5e10\r\n",
        ],
        ["*", "~", ">"])
    func together(_ part: String, _ type: String) {
        // The last byte of ten parts with their header is one too many.
        let bytes = 5 + 10 * part.utf8.count
        let text = "\(type)10\r\n" + String(repeating: part, count: 10)
        let limits = RESPParser.Limits(bulk: 4, overhead: bytes - 5)
        #expect(throws: RESPError.tooManyBytes) { try parse(text, limits: limits) }
        let enough = RESPParser.Limits(bulk: 4, overhead: bytes - 4)
        #expect(throws: Never.self) { try parse(text + text, limits: enough) }
    }

    @Test("Skipped strings of one reply are limited together")
    func skippedTogether() {
        let limits = RESPParser.Limits(bulk: 4, skipped: 15)
        let part = "$8\r\nabcdefgh\r\n"
        #expect(throws: RESPError.tooManyBytes) { try parse("*2\r\n" + part + part, limits: limits) }
        #expect(throws: Never.self) { try parse(part + part, limits: limits) }
    }

    @Test("A reply is unfinished from its first byte to its last, and so is a push")
    func unfinished() throws {
        for text in ["*2\r\n$3\r\nabc\r\n:12\r\n", ">2\r\n+message\r\n*1\r\n$1\r\na\r\n"] {
            var parser = RESPParser()
            var replies: [RESPValue] = []
            let bytes = Array(text.utf8)
            for (index, byte) in bytes.enumerated() {
                try withUnsafeBytes(of: byte) { try parser.parse($0, into: &replies) }
                #expect(parser.isUnfinished == (index < bytes.count - 1))
                #expect(parser.completed == (index < bytes.count - 1 ? 0 : 1))
            }
        }
    }

    @Test("Random changes of a valid stream end in values or an error")
    func mutations() {
        var generator = SystemRandomNumberGenerator()
        let bytes = Array(Self.sample.utf8)
        var errors = 0
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: changed.indices, using: &generator)] = .random(in: 0...255)
            }
            var parser = RESPParser()
            var replies: [RESPValue] = []
            do {
                try changed.withUnsafeBytes { try parser.parse($0, into: &replies) }
            } catch {
                errors += 1
            }
            #expect(replies.count <= bytes.count)
        }
        #expect(errors > 100)
    }

    @Test("A command is an array of strings with lengths in bytes")
    func command() {
        let command = RedisCommand("SET", [.text("ä"), .data(Data([13, 10])), .integer(-5)], key: "ä")
        #expect(
            command.encoded
                == Array("*4\r\n$3\r\nSET\r\n$2\r\nä\r\n$2\r\n\r\n\r\n$2\r\n-5\r\n".utf8))
    }
}
