import Foundation
import Kingfisher
import Testing

@testable import KingfisherSharedCache

struct ClusterTests {
    private let node = NodeAddress(host: "10.0.0.1", port: 7000)

    @Test("Slots are those of the Redis Cluster specification")
    func slots() {
        // CRC16 of the specification's appendix, and slots that `CLUSTER KEYSLOT` of Redis 7.0 prints.
        #expect(HashSlot.crc16("123456789".utf8) == 0x31C3)
        #expect(HashSlot.of("foo") == 12182)
        #expect(HashSlot.of("") == 0)
        #expect(HashSlot.of("{user1000}.following") == HashSlot.of("user1000"))
        #expect(HashSlot.of("foo{}{bar}") == Int(HashSlot.crc16("foo{}{bar}".utf8)) % 16384)
        #expect(HashSlot.of("foo{{bar}}zap") == HashSlot.of("{bar"))
        #expect(HashSlot.of("foo{bar}{zap}") == HashSlot.of("bar"))
        #expect(HashSlot.of("foo{bar") == Int(HashSlot.crc16("foo{bar".utf8)) % 16384)
    }

    @Test("An entry and its lease have one slot")
    func names() {
        let names = EntryNames(.init(cacheKey: "https://example.com/a.png"), version: "1")
        #expect(HashSlot.of(names.entry) == HashSlot.of(names.lease) && names.entry != names.lease)
    }

    @Test("Redirections name slot and node")
    func redirections() throws {
        let node = try #require(node)
        let other = try #require(NodeAddress(host: "127.0.0.1", port: 6381))
        #expect(Redirection("MOVED 3999 127.0.0.1:6381", from: node) == .moved(slot: 3999, other))
        #expect(Redirection("ASK 1 127.0.0.1:6381", from: node) == .ask(slot: 1, other))
        let same = try #require(NodeAddress(host: node.host, port: 6381))
        #expect(Redirection("MOVED 3999 :6381", from: node) == .moved(slot: 3999, same))
        let v6 = try #require(NodeAddress(host: "::1", port: 6381))
        #expect(Redirection("MOVED 3999 ::1:6381", from: node) == .moved(slot: 3999, v6))
    }

    @Test(
        "Malformed redirections are plain errors",
        arguments: [
            "MOVED", "MOVED 16384 a:1", "MOVED -1 a:1", "MOVED 1 a", "MOVED 1 a:0", "MOVED 1 a:65536",
            "MOVED 1 a/b:1", "MOVED x a:1", "ERR 1 a:1", "",
        ])
    func malformedRedirections(_ text: String) throws {
        #expect(Redirection(text, from: try #require(node)) == nil)
    }

    private func range(_ first: Int64, _ last: Int64, _ host: RESPValue, _ port: Int64) -> RESPValue {
        .array([.integer(first), .integer(last), .array([host, .integer(port), .text("id")])])
    }

    @Test("The map has the primary of each slot")
    func map() throws {
        let node = try #require(node)
        let reply = RESPValue.array([
            range(0, 6, .bytes(Data("a".utf8)), 1), range(100, 16382, .null, 2), range(7, 7, .text(""), 3),
            range(8, 99, .text("a"), 1),
        ])
        var map = try #require(ClusterMap(reply, from: node))
        #expect(map[0] == NodeAddress(host: "a", port: 1))
        #expect(map[100] == NodeAddress(host: node.host, port: 2))
        #expect(map[7] == NodeAddress(host: node.host, port: 3))
        #expect(map[16383] == nil && map.nodes.count == 3)
        let isAssigned = map.assign(16383, to: node)
        #expect(isAssigned)
        #expect(map[16383] == node)
    }

    @Test("A malformed map is refused")
    func malformedMap() throws {
        let node = try #require(node)
        let host = RESPValue.text("a")
        let many = (Int64(0)..<1001).map { range($0, $0, host, $0 + 1) }
        #expect(ClusterMap(.array(Array(many.dropLast())), from: node)?.owners.count == 1000)
        let replies: [RESPValue] = [
            .null, .array([]), .text("x"), .array([.integer(1)]), .array([range(5, 4, host, 1)]),
            .array([range(-1, 4, host, 1)]), .array([range(0, 16384, host, 1)]),
            .array([range(0, 1, host, 0)]), .array([range(0, 1, .text("a b"), 1)]),
            .array([.array([.integer(0), .integer(1)])]),
            .array(many), .array([range(0, 9, host, 1), range(9, 20, host, 1)]),
            .array([range(0, 1, .oversized(bytes: 1 << 24), 1)]),
        ]
        for reply in replies { #expect(ClusterMap(reply, from: node) == nil) }
    }

    @Test("A refresh waits longer after each failure, up to five seconds")
    func schedule() {
        var schedule = RefreshSchedule()
        let start = ContinuousClock.now
        #expect(schedule.permits(at: start))
        schedule.end(success: true, at: start, jitter: 1)
        #expect(!schedule.permits(at: start + .milliseconds(99)))
        #expect(schedule.permits(at: start + .milliseconds(100)))
        for _ in 0..<100 { schedule.end(success: false, at: start, jitter: 1) }
        #expect(!schedule.permits(at: start + .milliseconds(4999)))
        #expect(schedule.permits(at: start + .seconds(5)))
        schedule.end(success: true, at: start, jitter: 1)
        schedule.end(success: false, at: start, jitter: 1)
        #expect(!schedule.permits(at: start + .milliseconds(199)))
        #expect(schedule.permits(at: start + .milliseconds(200)))
    }
}

struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    /// `#expect` cannot contain a mutating call.
    private func check(_ isTrue: Bool, at location: SourceLocation = #_sourceLocation) {
        #expect(isTrue, sourceLocation: location)
    }

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.fail(at: start, jitter: 1) }
        return breaker
    }

    @Test("Five failures in ten seconds open it for five seconds")
    func opens() {
        var breaker = CircuitBreaker()
        for _ in 0..<4 {
            breaker.fail(at: start, jitter: 1)
            breaker.succeed()
        }
        check(breaker.permits(at: start))
        breaker.fail(at: start + .seconds(9), jitter: 1)
        check(!breaker.permits(at: start + .milliseconds(13_999)))
        check(breaker.permits(at: start + .seconds(14)))
    }

    @Test("Older failures do not count")
    func window() {
        var breaker = CircuitBreaker()
        for second in 0..<40 {
            breaker.fail(at: start + .seconds(second * 3), jitter: 1)
            check(breaker.permits(at: start + .seconds(second * 3)))
        }
    }

    @Test("After the pause one probe is permitted; its success closes, its failure opens again")
    func probe() {
        var breaker = opened()
        let later = start + .seconds(5)
        check(breaker.permits(at: later))
        check(!breaker.permits(at: later))
        breaker.fail(at: later, jitter: 1.2)
        check(!breaker.permits(at: later + .milliseconds(5999)))
        check(breaker.permits(at: later + .seconds(6)))
        breaker.succeed()
        #expect(breaker.phase == .closed)
    }

    @Test("A probe without outcome is followed by another")
    func lostProbe() {
        var breaker = opened()
        check(breaker.permits(at: start + .seconds(5)))
        check(!breaker.permits(at: start + .seconds(9)))
        check(breaker.permits(at: start + .seconds(10)))
    }

    @Test("Results of commands that were sent before it opened do not close it")
    func late() {
        var breaker = opened()
        breaker.succeed()
        check(!breaker.permits(at: start + .seconds(1)))
    }
}
