import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// The state of a reused handle is reset between transfers.
@Suite struct HandleReuseTests {
    private func finish(
        _ request: TransportRequest, on transport: CurlTransport, handler: Recorder = Recorder()
    ) async throws -> Recorder {
        _ = transport.start(request, handler: handler)
        _ = try await handler.result()
        return handler
    }

    @Test("The next transfer has neither header fields nor proxy of the last")
    func fieldsAndProxy() async throws {
        let proxy = try LoopbackServer { _ in .ok(Data("by proxy".utf8)) }
        let server = try LoopbackServer { _ in .ok(Data("direct".utf8)) }
        defer {
            proxy.stop()
            server.stop()
        }
        let transport = curlTransport { configuration in
            configuration.environment = [
                "http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.1",
            ]
        }
        defer { transport.invalidate() }
        let far = request(try #require(URL(string: "http://far.test/first"))) { request in
            request.urlRequest.setValue("Basic c2VjcmV0", forHTTPHeaderField: "Authorization")
            request.urlRequest.setValue("1", forHTTPHeaderField: "X-First")
        }
        let first = try await finish(far, on: transport)
        #expect(first.now.body == Data("by proxy".utf8))
        #expect(proxy.requests.first?.header("Authorization") == "Basic c2VjcmV0")

        let second = try await finish(request(server.url("/second")), on: transport)
        #expect(second.now.body == Data("direct".utf8) && proxy.requests.count == 1)
        let received = try #require(server.requests.first)
        #expect(received.target == "/second")
        #expect(received.header("Authorization") == nil && received.header("X-First") == nil)
    }

    @Test("The next transfer does not use the addresses of the last")
    func addresses() async throws {
        let server = try LoopbackServer { _ in
            .status(200, headers: [("Connection", "close")], body: Data("here".utf8))
        }
        defer { server.stop() }
        // The server listens only on the first address.
        let answers = Mutex(["127.0.0.1", "127.0.0.2"])
        let resolver = StubResolver { _ in
            .success(answers.withLock { [IPAddress($0.removeFirst())].compactMap(\.self) })
        }
        let transport = curlTransport { $0.resolver = resolver }
        defer { transport.invalidate() }
        let url = try #require(URL(string: "http://images.test:\(server.port)/a"))
        let first = try await finish(request(url), on: transport)
        #expect(first.now.body == Data("here".utf8))
        let second = try await finish(request(url), on: transport)
        #expect(second.now.body.isEmpty && server.requests.count == 1)
        #expect(throws: TransportError.self) { try second.now.result?.get() }
    }

    @Test("The next transfer is not paused like the cancelled one before", arguments: [false, true])
    func pause(inBody: Bool) async throws {
        let body = bytes(300_000)
        let server = try LoopbackServer { _ in .ok(body) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let paused = Recorder(onHead: { _, _ in inBody ? .proceed : .wait }, onBody: { _, _ in false })
        let task = transport.start(request(server.url("/paused")), handler: paused)
        #expect(await poll { paused.now.head != nil })
        task.cancel()
        #expect(try await paused.error() == .cancelled)
        let next = try await finish(request(server.url("/next")), on: transport)
        #expect(next.now.body == body && paused.now.body.isEmpty)
    }
}
