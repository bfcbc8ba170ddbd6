import Kingfisher
import Synchronization
import Testing

@testable import KingfisherSharedCache

/// What a router does with its nodes.
struct RouterTests {
    private final class Node: RedisNodeClient {
        func send(_ command: RedisCommand, asking: Bool) async throws(RedisError) -> RESPValue { .text("OK") }
        func close() {}
    }

    private func configuration() throws -> RedisConfiguration {
        RedisConfiguration(nodes: [try #require(NodeAddress(host: "10.0.0.1", port: 7000))])
    }

    @Test("The closure that makes a node may use its router")
    func reentrant() async throws {
        let router = Mutex<RedisRouter<Node>?>(nil)
        let made = RedisRouter(try configuration()) { _ in
            // Deadlocks if it runs under the router's lock.
            router.withLock { $0 }?.close()
            return Node()
        }
        router.withLock { $0 = made }
        let error = await #expect(throws: RedisError.self) { _ = try await made.send(RedisCommand("PING")) }
        #expect(error == .closed)
        router.withLock { $0 = nil }
    }

    @Test("A node that was made twice is used once")
    func twice() async throws {
        let count = Mutex(0)
        let address = try #require(try configuration().nodes.first)
        let made = RedisRouter(try configuration()) { _ in
            count.withLock { $0 += 1 }
            return Node()
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try await made.send(RedisCommand("PING"), to: address) } }
            try await group.waitForAll()
        }
        let first = count.withLock { $0 }
        _ = try await made.send(RedisCommand("PING"), to: address)
        #expect(count.withLock { $0 } == first)
    }

    @Test("The clock is not read under the lock of a circuit breaker")
    func clock() {
        let breaker = Mutex<NodeBreaker?>(nil)
        var environment = TierEnvironment()
        environment.instant = {
            // Deadlocks if it runs under the breaker's lock.
            breaker.withLock { $0.take() }?.succeed()
            return .now
        }
        let made = NodeBreaker(environment)
        breaker.withLock { $0 = made }
        #expect(made.permits())
    }
}
