import Foundation
import Kingfisher
import Synchronization
import Testing

@testable import KingfisherSharedCache

/// What nodes say about themselves, and what is reported about them.
struct NodeTests {
    private func node() throws -> NodeAddress { try #require(NodeAddress(host: "10.0.0.1", port: 7000)) }

    private func information(_ text: String) throws -> RedisNodeInformation? {
        RedisNodeInformation(.bytes(Data(text.utf8)), of: try node(), after: .milliseconds(3))
    }

    @Test("The information of Redis and of Valkey is read, also as a verbatim string")
    func information() throws {
        let redis = try #require(
            try information(
                "txt:# Server\r\nredis_version:7.0.15\r\nused_memory:1000\r\nmaxmemory:0\r\n"
                    + "maxmemory_policy:noeviction\r\nevicted_keys:4\r\ndb0:keys=12,expires=3,avg_ttl=0\r\n"))
        #expect(redis.engine == "redis" && redis.version == "7.0.15" && redis.keys == 12)
        #expect(redis.usedBytes == 1000 && redis.maximumBytes == nil && redis.evictedKeys == 4)
        #expect(redis.evictionPolicy == "noeviction" && redis.responseTime == .milliseconds(3))
        let valkey = try #require(
            try information(
                "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\nused_memory:5\r\n"
                    + "maxmemory:100\r\n"))
        #expect(valkey.engine == "valkey" && valkey.version == "9.1.2" && valkey.keys == 0)
        #expect(valkey.maximumBytes == 100 && valkey.evictionPolicy == "unknown")
    }

    @Test(
        "A reply without version or memory is no information",
        arguments: ["", "x", "redis_version:7\r\n", "used_memory:1\r\n", "redis_version:7\r\nused_memory:x"])
    func malformed(_ text: String) throws {
        #expect(try information(text) == nil)
    }

    @Test("The owners of slots are listed once, in the order of their slots")
    func owners() throws {
        func range(_ first: Int64, _ last: Int64, _ port: Int64) -> RESPValue {
            .array([
                .integer(first), .integer(last), .array([.bytes(Data("10.0.0.1".utf8)), .integer(port)]),
            ])
        }
        let map = try #require(
            ClusterMap(.array([range(50, 99, 7001), range(0, 9, 7000), range(10, 19, 7001)]), from: node()))
        #expect(map.owners.map(\.port) == [7000, 7001])
    }

    @Test("Names of errors in events are of a small number, without text of the server")
    func names() {
        #expect(RedisError.server("OOM command not allowed").eventName == "server.OOM")
        #expect(RedisError.server("WRONGPASS invalid user secret").eventName == "server.WRONGPASS")
        #expect(RedisError.server("anything else").eventName == "server")
        #expect(RedisError.server("").eventName == "server")
        #expect(RedisError.unreachable("10.0.0.1: secret").eventName == "unreachable")
        #expect(RedisError.timedOut.eventName == "timedOut")
    }

    @Test("Each change of a circuit breaker is reported once")
    func breaker() throws {
        let node = try #require(NodeAddress(host: UUID().uuidString, port: 7000))
        let observer = NodeObserver("\(node)")
        KingfisherEvents.add(observer)
        defer { KingfisherEvents.remove(observer) }
        let time = Mutex(ContinuousClock.now)
        var environment = TierEnvironment()
        environment.instant = { time.withLock { $0 } }
        let breaker = NodeBreaker(environment, of: node)
        for _ in 0..<10 { breaker.fail() }
        #expect(!breaker.permits())
        time.withLock { $0 += .seconds(7) }
        #expect(breaker.permits() && !breaker.permits())
        for _ in 0..<3 { breaker.succeed() }
        #expect(breaker.permits())
        #expect(observer.states.withLock { $0 } == ["open", "probing", "closed"])
    }
}

private final class NodeObserver: KingfisherEventObserver {
    let states = Mutex<[String]>([])
    private let node: String

    init(_ node: String) { self.node = node }

    func kingfisher(didReport event: KingfisherEvent) {
        guard case .tierNodeChanged(node, let state) = event else { return }
        states.withLock { $0.append(state) }
    }
}
