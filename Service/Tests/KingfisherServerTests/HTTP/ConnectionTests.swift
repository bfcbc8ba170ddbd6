import Foundation
import KingfisherService
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// Slow, silent and leaving clients.
@Suite struct ConnectionTests {
    @Test func `A transfer is cancelled when its last client leaves, and not before`() async throws {
        let origin = try AttackOrigin { _ in .silentAfterHead }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/slow.jpg"))
            let clients = try (0..<3).map { _ in try server.client() }
            clients.last?.send(path)
            #expect(await poll { origin.openTransfers == 1 })
            for client in clients.dropLast() { client.send(path) }
            // Time for the clients to subscribe to the transfer before they leave.
            try await Task.sleep(for: .milliseconds(100))
            for client in clients.dropLast() { client.disconnect() }
            #expect(await !poll(upTo: .milliseconds(300)) { origin.openTransfers == 0 })
            clients.last?.disconnect()
            #expect(await poll { origin.openTransfers == 0 })
        }
    }

    @Test func `A connection stays open after a miss, and serves the next request`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let paths = try (0..<3).map { try server.path(origin.url("/\($0).jpg")) }
            let statuses = try await server.onThread {
                let client = try server.client()
                return paths.map { path in
                    client.send(path)
                    return client.reply(within: .seconds(20))?.status
                }
            }
            #expect(statuses == [200, 200, 200])
        }
    }

    @Test(arguments: [1, 30])
    func `A head that arrives too slowly closes the connection`(bytesAtOnce: Int) async throws {
        try await ServerUnderTest.run { settings in
            settings.timeouts.read = .seconds(1)
        } _: { server in
            let isClosed = try await server.onThread {
                let client = try server.client()
                let head = "GET /health HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 200)
                let start = ContinuousClock.now
                for byte in head.utf8 where ContinuousClock.now - start < .seconds(4) {
                    client.sendRaw(String(decoding: [byte], as: UTF8.self))
                    if client.isClosed(within: .milliseconds(bytesAtOnce == 1 ? 100 : 20)) { return true }
                }
                return client.isClosed(within: .seconds(1))
            }
            #expect(isClosed)
        }
    }

    @Test func `A body that arrives too slowly closes the connection`() async throws {
        try await ServerUnderTest.run { settings in
            settings.timeouts.read = .seconds(1)
        } _: { server in
            let path = try server.urls.sign(path: "/expires:4000000000/upload@png")
            let isClosed = try await server.onThread {
                let client = try server.client()
                client.sendRaw("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .seconds(5) {
                    client.sendRaw("x")
                    if client.isClosed(within: .milliseconds(100)) { return true }
                }
                return false
            }
            #expect(isClosed)
        }
    }

    @Test func `A client that does not read is disconnected, and others are served`() async throws {
        let photo = try Fixtures.data(named: "Photos/grass.jpg")
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.timeouts.write = .seconds(1)
        } _: { server in
            let path = try server.path(origin.url("/photo.jpg"), "fit:512x512")
            let size = try await server.request(path).body.count
            let isReset = try await server.onThread {
                let client = try server.client()
                // More than the kernel buffers.
                for _ in 0..<(32 << 20) / size { client.send(path) }
                return client.isReset(within: .seconds(30))
            }
            #expect(isReset)
            #expect(try await server.request(path).body.count == size)
        }
    }

    @Test func `A client gets no more connections than its limit`() async throws {
        try await ServerUnderTest.run { settings in
            settings.load.connectionsPerClient = 3
        } _: { server in
            let results = try await server.onThread {
                let clients = try (0..<3).map { _ in try server.client() }
                let served = clients.map { client in
                    client.send("/health")
                    return client.reply(within: .seconds(10))?.status
                }
                let refused = try server.client()
                refused.send("/health")
                let reply = refused.reply(within: .seconds(5))?.status
                clients[0].disconnect()
                // The server notices later that a connection is free.
                let end = ContinuousClock.now + .seconds(10)
                var next: Int?
                while next == nil, .now < end {
                    let client = try server.client()
                    client.send("/health")
                    next = client.reply(within: .seconds(1))?.status
                }
                return served + [reply, next]
            }
            #expect(results == [200, 200, 200, nil, 200])
        }
    }

    @Test func `A request that takes too long fails with 504, and its transfer ends`() async throws {
        let origin = try AttackOrigin { _ in .dripping(every: .milliseconds(50)) }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.timeouts.request = .seconds(1)
        } _: { server in
            let reply = try await server.request(server.path(origin.url("/slow.jpg")))
            #expect(reply.status == 504 && reply.text.contains("too long"))
            #expect(await poll { origin.openTransfers == 0 })
        }
    }

    @Test func `A client beyond its rate gets 429, and hits do not count`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            (settings.load.rate, settings.load.burst) = (0.001, 2)
        } _: { server in
            let paths = try (0..<3).map { try server.path(origin.url("/\($0).jpg")) }
            var statuses: [Int] = []
            for path in paths + [paths[0]] { statuses.append(try await server.request(path).status) }
            #expect(statuses == [200, 200, 429, 200])
            let refused = try await server.request(paths[2])
            #expect(refused.value("Retry-After").flatMap { Int($0) }.map { $0 >= 1 } == true)
        }
    }

    @Test func `Requests in progress end before the server stops, and new ones are refused`() async throws {
        let gate = ServerGate()
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let origin = try LoopbackServer { _ in .ok(png).held(by: gate) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/photo.png"))
            async let reply = server.request(path)
            #expect(await poll { gate.arrived == 1 })
            await server.shutDown()
            #expect(await poll { !server.isListening })
            gate.release()
            let status = try await reply.status
            #expect(status == 200)
        }
    }

    @Test func `The drain timeout ends a server whose requests do not end`() async throws {
        let origin = try AttackOrigin { _ in .silent }
        defer { origin.stop() }
        let start = ContinuousClock.now
        try await ServerUnderTest.run { settings in
            settings.timeouts.drain = .seconds(1)
        } _: { server in
            let client = try server.client()
            client.send(try server.path(origin.url("/silent.jpg")))
            #expect(await poll { origin.openTransfers == 1 })
            await server.shutDown()
        }
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
