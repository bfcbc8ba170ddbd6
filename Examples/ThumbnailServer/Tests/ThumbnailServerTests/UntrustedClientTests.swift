import Foundation
import KingfisherTestSupport
import Testing

@testable import ThumbnailServer

@Suite struct UntrustedClientTests {
    @Test func `A transfer is cancelled when its last client disconnects`() async throws {
        let origin = try AttackOrigin { _ in .silentAfterHead }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let target = ServerUnderTest.target(origin.url("/slow.jpg"))
            let clients = try (0..<3).map { _ in try server.client() }
            // Sent first, so that the transfer always has a client.
            clients.last?.send(target)
            #expect(await poll { origin.openTransfers == 1 })
            for client in clients.dropLast() { client.send(target) }
            // Time for the clients to subscribe to the transfer before they disconnect.
            try await Task.sleep(for: .milliseconds(100))
            for client in clients.dropLast() { client.disconnect() }
            // The transfer continues for the last client.
            #expect(await !poll(upTo: .milliseconds(300)) { origin.openTransfers == 0 })
            let left = ContinuousClock.now
            clients.last?.disconnect()
            #expect(await poll { origin.openTransfers == 0 })
            #expect(.now - left < .seconds(1))
        }
    }

    @Test(arguments: [(1, 20_000), (200, 10)])
    func `Oversized request headers are refused`(fields: Int, length: Int) async throws {
        try await ServerUnderTest.run { server in
            let headers = (0..<fields).map { ("X-\($0)", String(repeating: "x", count: length)) }
            // The path would give 404.
            let reply = try await server.get("/", headers: headers)
            #expect(reply?.status == 400)
        }
    }

    @Test(arguments: ["Content-Length: 100", "Transfer-Encoding: chunked"])
    func `A request with a body is refused and closes its connection`(field: String) async throws {
        try await ServerUnderTest.run { server in
            let (status, isClosed) = try await server.onThread {
                let client = try server.client()
                // The body never completes, and must not keep the connection open.
                client.sendRaw("GET /thumbnail HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n1")
                return (client.reply(within: .seconds(10))?.status, client.isClosed(within: .seconds(10)))
            }
            #expect(status == 413 && isClosed)
        }
    }

    @Test func `A client that does not read is disconnected, and others are served`() async throws {
        let photo = try Fixtures.data(named: "Photos/grass.jpg")
        let images = try LoopbackServer { _ in .ok(photo) }
        defer { images.stop() }
        try await ServerUnderTest.run(writeSeconds: 1) { server in
            let target = ServerUnderTest.target(images.url("/photo.jpg"), side: 512)
            // Responses of a cached image do not close their connections.
            let size = try #require(try await server.get(target)?.body.count)
            let isReset = try await server.onThread {
                let client = try server.client()
                // More than the kernel buffers.
                for _ in 0..<(32 << 20) / size { client.send(target) }
                return client.isReset(within: .seconds(30))
            }
            #expect(isReset)
            #expect(try await server.get(target)?.body.count == size)
        }
    }

    @Test func `Pending requests complete before the server stops`() async throws {
        let gate = ServerGate()
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let images = try LoopbackServer { _ in .ok(png).held(by: gate) }
        defer { images.stop() }
        try await ServerUnderTest.run { server in
            async let reply = server.get(ServerUnderTest.target(images.url("/photo.png")))
            #expect(await poll { gate.arrived == 1 })
            await server.shutDown()
            #expect(await poll { !server.isListening })
            gate.release()
            let status = try await reply?.status
            #expect(status == 200)
        }
    }
}
