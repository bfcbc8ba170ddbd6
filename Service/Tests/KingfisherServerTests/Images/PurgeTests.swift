import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherServer

/// Purges by URL, tag and prefix.
@Suite struct PurgeTests {
    /// A source whose image changes with each request.
    private func changingOrigin(_ gate: ServerGate? = nil) throws -> LoopbackServer {
        let photos = ["Photos/chelsea.jpg", "Photos/astronaut-portrait.jpg", "PNG/rgba8.png"]
        let files = try photos.map { try Fixtures.data(named: $0) }
        let count = Mutex(0)
        return try LoopbackServer { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            let response = ServerResponse.ok(files[number % files.count])
            return gate.map { response.held(by: $0) } ?? response
        }
    }

    @Test(arguments: [
        #"{"url":"SOURCE"}"#, #"{"tag":"cats"}"#, #"{"prefix":"SOURCE"}"#,
    ])
    func `A purge removes original and results, and the source is fetched again`(order: String) async throws {
        let origin = try changingOrigin()
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let source = origin.url("/cat.jpg")
            let paths = try ["fit:64x64", "fit:32x32"].map { try server.path(source, "\($0)/tag:cats") }
            var bodies: [Data] = []
            for path in paths { bodies.append(try await server.request(path).body) }
            #expect(origin.requestCount() == 1)
            let reply = try await server.purge(order.replacing("SOURCE", with: source.absoluteString))
            #expect(reply.status == 200)
            #expect(reply.text == #"{"originals":1,"results":2}"# + "\n")
            for (path, body) in zip(paths, bodies) {
                #expect(try await server.request(path).body != body)
            }
            #expect(origin.requestCount() == 2)
        }
    }

    @Test(arguments: [
        #"{"url":"http://127.0.0.1:1/other.jpg"}"#, #"{"tag":"dogs"}"#, #"{"prefix":"http://e.com/"}"#,
    ])
    func `A purge of something else removes nothing`(order: String) async throws {
        let origin = try changingOrigin()
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/cat.jpg"), "fit:64x64/tag:cats")
            let body = try await server.request(path).body
            #expect(try await server.purge(order).text == #"{"originals":0,"results":0}"# + "\n")
            #expect(try await server.request(path).body == body)
        }
    }

    @Test func `A build that began before the purge is delivered and not stored`() async throws {
        let gate = ServerGate()
        let origin = try changingOrigin(gate)
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let source = origin.url("/cat.jpg")
            let path = try server.path(source)
            async let earlier = server.request(path)
            #expect(await poll { gate.arrived == 1 })
            #expect(try await server.purge(#"{"url":"\#(source.absoluteString)"}"#).status == 200)
            async let later = server.request(path)
            #expect(await poll { gate.arrived == 2 })
            gate.release()
            let (first, second) = (try await earlier.body, try await later.body)
            #expect(first != second && origin.requestCount() == 2)
            #expect(try await server.request(path).body == second)
        }
    }

    @Test func `A known failure is forgotten by a purge`() async throws {
        let isThere = Mutex(false)
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let origin = try LoopbackServer { _ in isThere.withLock { $0 } ? .ok(photo) : .status(404) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let source = origin.url("/cat.jpg")
            let path = try server.path(source)
            for _ in 0..<2 { #expect(try await server.request(path).status == 404) }
            #expect(origin.requestCount() == 1)
            isThere.withLock { $0 = true }
            _ = try await server.purge(#"{"url":"\#(source.absoluteString)"}"#)
            #expect(try await server.request(path).status == 200)
        }
    }

    @Test(arguments: [
        (nil, #"{"tag":"a"}"#, 401), ("a-token-of-testS", #"{"tag":"a"}"#, 401), ("a", #"{"tag":"a"}"#, 401),
        (ServerUnderTest.token, "", 400), (ServerUnderTest.token, "{}", 400),
        (ServerUnderTest.token, #"{"tag":"a","url":"http://e.com/"}"#, 400),
        (ServerUnderTest.token, #"{"tag":"u:0"}"#, 400), (ServerUnderTest.token, #"{"prefix":""}"#, 400),
        (ServerUnderTest.token, #"{"url":"ftp://e.com/"}"#, 400),
        (ServerUnderTest.token, String(repeating: " ", count: 70_000), 400),
    ])
    func `A purge without the token or with a malformed body is refused`(
        token: String?, order: String, status: Int
    ) async throws {
        try await ServerUnderTest.run { server in
            let reply = try await server.purge(order, token: token)
            #expect(reply.status == status)
        }
    }

    @Test func `Clients cannot purge unless the settings allow it`() async throws {
        let fields = ["Authorization": "Bearer \(ServerUnderTest.token)"]
        let body = Data(#"{"tag":"a"}"#.utf8)
        try await ServerUnderTest.run { server in
            let reply = try await server.request("/purge", "POST", fields: fields, body: body)
            // No such path: it has no signature.
            #expect(reply.status == 403)
        }
        try await ServerUnderTest.run { settings in
            settings.purgesPublicly = true
        } _: { server in
            let reply = try await server.request("/purge", "POST", fields: fields, body: body)
            #expect(reply.status == 200)
            #expect(try await server.request("/purge").status == 405)
        }
    }
}
