import Foundation
import KingfisherSharedCache
import KingfisherTestSupport
import Testing

/// How many connections a client has, by what the server says.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    private func clients(of server: RedisServer) async throws -> Int {
        let observer = try server.client()
        defer { observer.close() }
        guard case .bytes(let list) = try await observer.send(RedisCommand("CLIENT", ["LIST"])) else {
            return 0
        }
        // Without the observer itself.
        return String(decoding: list, as: UTF8.self).split(separator: "\n").count - 1
    }

    @Test(
        "A released or closed client closes its connections, and a closed one fails",
        arguments: [true, false])
    func end(_ closes: Bool) async throws {
        let server = try await RedisServer()
        var client: NIORedisClient? = try server.client()
        _ = try await client?.send(RedisCommand("PING"))
        #expect(try await clients(of: server) == 1)
        if closes {
            client?.close()
            let error = await #expect(throws: RedisError.self) {
                _ = try await client?.send(RedisCommand("PING"))
            }
            #expect(error == .closed)
        } else {
            client = nil
        }
        var remaining = 1
        for _ in 0..<200 where remaining > 0 {
            try await Task.sleep(for: .milliseconds(10))
            remaining = try await clients(of: server)
        }
        #expect(remaining == 0)
        withExtendedLifetime(client) {}
    }
}
