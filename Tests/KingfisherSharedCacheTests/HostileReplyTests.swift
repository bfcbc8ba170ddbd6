import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherSharedCache

/// Memory and time that a node's bytes can take, for every type at its limits.
///
/// Tests of memory have a process, so that other tests do not count. A debug build takes a second for as many
/// elements as the limit allows, so that most types have fewer.
struct HostileReplyTests {
    private static let line = String(repeating: "1", count: RESPParser.Limits().line - 2)

    /// Elements of each type, as small as possible.
    private static let smallUnits =
        [
            "+\r\n", "-\r\n", "(1\r\n", ":-9223372036854775808\r\n", ",1\r\n", "#t\r\n", "_\r\n", "*0\r\n",
            "$-1\r\n", "*1\r\n*1\r\n+ab\r\n", "~1\r\n+a\r\n", "%1\r\n+a\r\n+b\r\n",
        ] + "$!=".flatMap { ["\($0)0\r\n\r\n", "\($0)15\r\n123456789012345\r\n"] }

    /// Elements of each type that has bytes, as large as their line may be.
    private static let largeUnits =
        "+-(,".map { "\($0)\(line)\r\n" } + "$!=".map { "\($0)\(line.utf8.count)\r\n\(line)\r\n" }

    /// Feeds a header and then one unit again and again, until the reply ends or is refused.
    private static func feed(_ header: String, _ unit: String) -> (bytes: Int, error: (any Error)?) {
        let count = max(1, (1 << 16) / unit.utf8.count)
        let part = Array(String(repeating: unit, count: count).utf8)
        var parser = RESPParser()
        var (replies, bytes): ([RESPValue], Int) = ([], 0)
        do {
            try feed(Array(header.utf8), to: &parser, &replies)
            while parser.isUnfinished, bytes < 64 << 20 {
                try feed(part, to: &parser, &replies)
                bytes += part.count
            }
        } catch {
            return (bytes, error)
        }
        return (bytes, nil)
    }

    private static func feed(
        _ bytes: [UInt8], to parser: inout RESPParser, _ replies: inout [RESPValue]
    ) throws {
        try bytes.withUnsafeBytes { try parser.parse($0, into: &replies) }
    }

    /// Returns the bytes by which the memory of the process grew at most.
    private static func checkAll(of type: String) -> Int {
        let before = ProcessStatus.peakResidentBytes
        let most = RESPParser.Limits().elements
        for unit in smallUnits { check("\(type)\(1 << 13)\r\n", unit, endsWith: nil) }
        check("\(type)\(most)\r\n", "$15\r\n123456789012345\r\n", endsWith: nil)
        for unit in largeUnits { check("\(type)\(most)\r\n", unit, endsWith: .tooManyBytes) }
        return ProcessStatus.peakResidentBytes - before
    }

    private static func check(_ header: String, _ unit: String, endsWith expected: RESPError?) {
        let limits = RESPParser.Limits()
        let start = clock()
        let (bytes, error) = feed(header, unit)
        precondition(error as? RESPError == expected, "\(unit.prefix(9)): \(String(describing: error))")
        precondition(bytes <= limits.bulk + limits.overhead + 1 << 16, "\(unit.prefix(9)): \(bytes) bytes")
        precondition(clock() - start < 20 * CLOCKS_PER_SEC, "\(unit.prefix(9)) takes too long")
    }

    @Test("A reply of any type at its limits takes at most 64 MiB and little CPU time")
    func replies() async {
        await #expect(processExitsWith: .success) {
            let taken = Self.checkAll(of: "*")
            precondition(taken < 64 << 20 || ProcessStatus.isSanitized, "\(taken) bytes")
        }
    }

    @Test("A push of any type at its limits takes little memory and CPU time")
    func pushes() async {
        await #expect(processExitsWith: .success) {
            let taken = Self.checkAll(of: ">")
            precondition(taken < 16 << 20 || ProcessStatus.isSanitized, "\(taken) bytes")
        }
    }

    @Test("A string of 8 MiB that arrives byte by byte is read")
    func slowValue() throws {
        var parser = RESPParser()
        var replies: [RESPValue] = []
        let value = Data(repeating: 7, count: 8 << 20)
        try Self.feed(Array("$\(value.count)\r\n".utf8), to: &parser, &replies)
        // Single bytes at both ends, and parts between them, because a debug build takes long for each read.
        let parts = [1, 1, 1] + [Int](repeating: 4096, count: 2047) + [4090] + [1, 1, 1]
        for part in parts { try Self.feed([UInt8](repeating: 7, count: part), to: &parser, &replies) }
        #expect(parts.reduce(0, +) == value.count && replies.isEmpty && parser.isUnfinished)
        try Self.feed(Array("\r\n".utf8), to: &parser, &replies)
        #expect(replies == [.bytes(value)])
    }

    /// `CLUSTER SLOTS` of ranges of one slot, on nodes with ports from 1.
    private static func map(_ ranges: some Sequence<(Int, Int)>, nodes: Int) throws -> RESPValue {
        let host = "$9\r\n127.0.0.1\r\n"
        let identifier = "$40\r\n\(String(repeating: "a", count: 40))\r\n"
        let texts = ranges.enumerated().map { index, range in
            "*3\r\n:\(range.0)\r\n:\(range.1)\r\n*4\r\n\(host):\(1 + index % nodes)\r\n\(identifier)*0\r\n"
        }
        var parser = RESPParser()
        var replies: [RESPValue] = []
        try feed(Array("*\(texts.count)\r\n\(texts.joined())".utf8), to: &parser, &replies)
        return try #require(replies.first)
    }

    @Test("A map of 16,384 ranges on 1,000 nodes is read")
    func largestMap() throws {
        let node = try #require(NodeAddress(host: "10.0.0.1", port: 7000))
        let ranges = (0..<16_384).map { ($0, $0) }
        let map = try #require(ClusterMap(try Self.map(ranges, nodes: 1000), from: node))
        #expect(map.nodes.count == 1000 && map.owners.count == 1000)
        #expect((0..<16_384).allSatisfy { map[$0]?.port == 1 + $0 % 1000 })
        #expect(try ClusterMap(Self.map(ranges + [(0, 0)], nodes: 1000), from: node) == nil)
    }

    @Test("A map of 1,000 overlapping ranges on as many nodes is refused at the second one")
    func overlappingMap() throws {
        let node = try #require(NodeAddress(host: "10.0.0.1", port: 7000))
        let reply = try Self.map(repeatElement((0, 16_383), count: 1000), nodes: 1000)
        let start = ContinuousClock.now
        #expect(ClusterMap(reply, from: node) == nil)
        // All ranges together have 16 million slots, which took minutes.
        #expect(ContinuousClock.now - start < .seconds(5 * ProcessStatus.slowness))
    }
}

/// When a connection is closed.
struct ReplyTimeoutsTests {
    private let start = ContinuousClock.now

    private func timeouts() -> ReplyTimeouts { ReplyTimeouts(response: .milliseconds(200), at: start) }

    @Test("A command waits for the response timeout without data, and 10 s more for its reply")
    func silence() {
        var timeouts = timeouts()
        timeouts.begin(at: start + .seconds(1))
        #expect(timeouts.due(isWaiting: true) == start + .milliseconds(1200))
        #expect(timeouts.due(isWaiting: false) == nil)
        // Completed pushes, which answer nothing.
        for step in 0..<200 {
            timeouts.receive(
                9, completed: true, isReply: false, isUnfinished: false,
                at: start + .seconds(1) + .milliseconds(100 * step))
        }
        #expect(timeouts.due(isWaiting: true) == start + .milliseconds(11_200))
    }

    @Test("An unfinished reply or push stays for twice the response timeout, whether or not commands wait")
    func stalled() {
        var timeouts = timeouts()
        for step in 0..<4 {
            timeouts.receive(
                1, completed: false, isReply: false, isUnfinished: true,
                at: start + .milliseconds(100 * step))
        }
        for isWaiting in [true, false] {
            #expect(timeouts.due(isWaiting: isWaiting) == start + .milliseconds(400))
        }
        timeouts.receive(
            1, completed: true, isReply: true, isUnfinished: false, at: start + .milliseconds(350))
        #expect(timeouts.due(isWaiting: false) == nil)
        // The end of one and the start of another.
        timeouts.receive(
            1, completed: true, isReply: true, isUnfinished: true, at: start + .milliseconds(360))
        #expect(timeouts.due(isWaiting: false) == start + .milliseconds(760))
    }

    @Test("A large reply may take ten seconds, if bytes arrive")
    func progress() {
        var timeouts = timeouts()
        var now = start
        while let due = timeouts.due(isWaiting: true), now < due {
            timeouts.receive(1 << 15, completed: false, isReply: false, isUnfinished: true, at: now)
            now += .milliseconds(190)
        }
        #expect(now >= start + .seconds(10) && now < start + .milliseconds(10_200))
    }
}
