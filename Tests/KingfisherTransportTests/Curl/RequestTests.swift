import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Requests as the server receives them, and responses without faults.
@Suite struct RequestTests {
    @Test func methodFieldsAndBodyAreSent() async throws {
        let server = try LoopbackServer { _ in
            .status(201, headers: [("X-Answer", "yes")], body: Data("done".utf8))
        }
        defer { server.stop() }
        let body = bytes(400_000)
        let handler = try await run(
            request(server.url("/put?a=1")) { request in
                request.urlRequest.httpMethod = "PUT"
                request.urlRequest.httpBody = body
                request.urlRequest.setValue("image/png", forHTTPHeaderField: "Content-Type")
                request.urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
                request.urlRequest.setValue("", forHTTPHeaderField: "X-Empty")
            })
        let metrics = try #require(try handler.now.result?.get())
        #expect(metrics.bytesSent == 400_000)
        #expect(handler.now.head?.statusCode == 201)
        #expect(handler.now.head?.value(forHTTPHeaderField: "x-answer") == "yes")
        let received = try #require(server.requests.first)
        #expect(received.method == "PUT" && received.target == "/put?a=1" && received.body == body)
        #expect(received.header("Content-Type") == "image/png")
        #expect(received.header("Accept-Encoding") == "identity")
        #expect(received.header("X-Empty") == "")
        #expect(received.header("Expect") == nil)
        #expect(received.header("User-Agent") == "Kingfisher/\(kingfisherVersion)")
    }

    @Test(arguments: [
        "/a/../b", "/./x", "/a/%2e%2e/b", "/%2E/x", "/a/..%2fb", "/a//b/..", "/..", "/a/../b?c=/../d",
    ])
    func `The path is sent with its dot segments, as it was signed`(target: String) async throws {
        let server = try LoopbackServer { _ in .ok(Data()) }
        defer { server.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(target)"))
        let handler = try await run(request(url))
        _ = try #require(handler.now.result).get()
        #expect(server.requests.map(\.target) == [target])
    }

    @Test func `A redirect with dot segments is followed to the path that its hook saw`() async throws {
        let server = try LoopbackServer { request in
            request.target == "/start/here"
                ? .status(302, headers: [("Location", "./x/%2e%2E/../y/..%2fz/.?q=/../")])
                : .ok(Data())
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = try await HTTPFetch(transport).run(request(server.url("/start/here")))
        _ = try #require(handler.now.result).get()
        #expect(server.requests.map(\.target) == ["/start/here", "/y/..%2fz/?q=/../"])
        #expect(handler.now.head?.url?.absoluteString.hasSuffix("/y/..%2fz/?q=/../") == true)
    }

    @Test func otherMethodsAreSent() async throws {
        let server = try LoopbackServer { request in
            request.method == "HEAD"
                ? ServerResponse([.send(ServerResponse.head(200, headers: [("Content-Length", "12345")]))])
                : .ok(Data("x".utf8))
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        for (method, body) in [("HEAD", nil), ("DELETE", nil), ("POST", Data()), ("GET", nil)]
            as [(String, Data?)]
        {
            let handler = Recorder()
            _ = transport.start(
                request(server.url("/" + method)) { request in
                    request.urlRequest.httpMethod = method
                    request.urlRequest.httpBody = body
                }, handler: handler)
            _ = try await handler.result().get()
            #expect(handler.now.body == (method == "HEAD" ? Data() : Data("x".utf8)))
            #expect(server.requests.last?.method == method)
            #expect(server.requests.last?.header("Content-Type") == nil)
        }
    }

    @Test func headerInjectionIsRefused() async throws {
        let server = try LoopbackServer { _ in .ok(Data()) }
        defer { server.stop() }
        for (name, value) in [("X-A", "1\r\nX-B: 2"), ("X A", "1"), ("X:", "1")] {
            let handler = try await run(
                request(server.url()) { $0.urlRequest.allHTTPHeaderFields = [name: value] })
            guard case .invalidRequest = try await handler.error() else {
                return #expect(Bool(false), "\(name): \(value)")
            }
        }
        let handler = try await run(
            request(server.url()) { $0.urlRequest.httpMethod = "GET / HTTP/1.1\r\nA:" })
        guard case .invalidRequest = try await handler.error() else { return #expect(Bool(false)) }
        #expect(server.requestCount() == 0)
    }

    @Test func connectionsAreReused() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(1_000)) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        var reused: [Bool] = []
        for _ in 0..<5 {
            let handler = Recorder()
            _ = transport.start(request(server.url()), handler: handler)
            let metrics = try await handler.result().get()
            reused.append(metrics.reusedConnection)
            #expect(metrics.remoteIP == "127.0.0.1" && metrics.protocolName == "HTTP/1.1")
            #expect(metrics.bytesReceived == 1_000 && metrics.bytesDecoded == 1_000)
            #expect(metrics.dns == 0 && metrics.tls == 0)
            #expect(metrics.total > 0 && metrics.firstByte > 0 && metrics.firstByte <= metrics.total)
        }
        #expect(reused == [false, true, true, true, true])
        #expect(server.acceptedConnections == 1)
    }

    /// Repeated, because libcurl's poll once ignored a runnable transfer, in about one of twelve runs.
    @Test(arguments: 0..<40) func connectionsPerHostAreBounded(_ round: Int) async throws {
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(Data("x".utf8)).held(by: gate) }
        defer { server.stop() }
        let transport = curlTransport { $0.maxConnectionsPerHost = 3 }
        defer { transport.invalidate() }
        let handlers = (0..<20).map { _ in Recorder() }
        for handler in handlers { _ = transport.start(request(server.url()), handler: handler) }
        #expect(await poll { gate.arrived == 3 })
        gate.release()
        // Well before the connect limit of 10 s, whose timer would wake the loop.
        #expect(await poll(upTo: .seconds(6)) { handlers.allSatisfy(\.isFinished) })
        for handler in handlers { _ = try await handler.result().get() }
        #expect(server.acceptedConnections <= 3)
    }

    @Test func interimResponsesAreSkipped() async throws {
        let server = try LoopbackServer { _ in
            ServerResponse(
                [.send(ServerResponse.head(103, headers: [("Link", "</a.css>")]))]
                    + ServerResponse.ok(Data("x".utf8)).steps)
        }
        defer { server.stop() }
        let handler = try await run(request(server.url()))
        #expect(handler.now.head?.statusCode == 200)
        #expect(handler.now.head?.value(forHTTPHeaderField: "Link") == nil)
        #expect(handler.now.body == Data("x".utf8))
    }

    @Test func trailersAreIgnored() async throws {
        let server = try LoopbackServer { _ in
            let end = ServerResponse.Step.send(Data("0\r\nX-Late: 1\r\n\r\n".utf8))
            return ServerResponse(ServerResponse.chunked([bytes(9)]).steps.dropLast() + [end])
        }
        defer { server.stop() }
        let handler = try await run(request(server.url()))
        #expect(handler.now.body == bytes(9))
        #expect(handler.now.head?.value(forHTTPHeaderField: "X-Late") == nil)
    }

    @Test func namesAreResolvedByTheResolver() async throws {
        let server = try LoopbackServer { _ in .ok(Data("x".utf8)) }
        defer { server.stop() }
        let resolver = StubResolver { _ in .success(loopback) }
        let transport = curlTransport { $0.resolver = resolver }
        let url = try #require(URL(string: "http://Images.test:\(server.port)/a"))
        let handler = try await run(request(url), on: transport)
        #expect(throws: Never.self) { try handler.now.result?.get() }
        #expect(resolver.lookups.map { $0.lowercased() } == ["images.test"])
    }

    @Test func numericIPv6AddressIsUsed() async throws {
        guard let server = try? LoopbackServer(ipv6: true, { _ in .ok(Data("six".utf8)) }) else { return }
        defer { server.stop() }
        let handler = try await run(request(server.url("/x")))
        #expect(handler.now.body == Data("six".utf8))
        #expect(try handler.now.result?.get().remoteIP == "::1")
    }

    @Test func proxyOfTheEnvironmentIsUsed() async throws {
        let proxy = try LoopbackServer { _ in .ok(Data("by proxy".utf8)) }
        defer { proxy.stop() }
        let resolver = StubResolver { _ in .success(loopback) }
        let environment = ["http_proxy": "http://proxy.test:\(proxy.port)"]
        let transport = curlTransport { configuration in
            configuration.environment = environment
            configuration.resolver = resolver
        }
        let handler = try await run(request(try #require(URL(string: "http://far.test/p"))), on: transport)
        #expect(handler.now.body == Data("by proxy".utf8))
        #expect(proxy.requests.map(\.target) == ["http://far.test/p"])
        #expect(resolver.lookups == ["proxy.test"])
    }

    @Test func noProxyOfTheProcessIsIgnoredWithAnotherEnvironment() async throws {
        // In a separate process, because all tests share one environment.
        await #expect(processExitsWith: .success) {
            for name in ["no_proxy", "NO_PROXY"] { setenv(name, "*", 1) }
            let proxy = try LoopbackServer { _ in .ok(Data("by proxy".utf8)) }
            defer { proxy.stop() }
            let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
            let transport = curlTransport { $0.environment = environment }
            let handler = try await run(
                request(try #require(URL(string: "http://127.0.0.1:1/p"))), on: transport)
            #expect(handler.now.body == Data("by proxy".utf8))
        }
    }

    @Test func manyConcurrentRequests() async throws {
        let server = try LoopbackServer { .ok(Data($0.path.utf8)) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handlers = (0..<500).map { _ in Recorder() }
        for (index, handler) in handlers.enumerated() {
            _ = transport.start(request(server.url("/\(index)")), handler: handler)
        }
        for (index, handler) in handlers.enumerated() {
            _ = try await handler.result().get()
            #expect(handler.now.body == Data("/\(index)".utf8))
        }
        #expect(server.acceptedConnections <= CurlTransport.Configuration().maxConnectionsPerHost)
    }
}
