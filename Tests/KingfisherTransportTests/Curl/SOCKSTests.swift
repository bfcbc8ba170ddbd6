import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Transfers through a SOCKS5 proxy.
@Suite struct SOCKSTests {
    private let resolver = StubResolver { $0.hasSuffix(".test") ? .success(loopback) : nil }

    private func transport(through proxy: String) -> CurlTransport {
        curlTransport { configuration in
            configuration.environment = ["all_proxy": proxy]
            configuration.resolver = resolver
        }
    }

    @Test(
        "With socks5h, the proxy resolves the server's name; with socks5, this library does",
        arguments: [
            ("socks5h://127.0.0.1", .name("images.test", port: 81), []),
            ("socks5://proxy.test", .address("127.0.0.1", port: 81), ["images.test", "proxy.test"]),
        ] as [(String, SOCKSProxy.Destination, [String])])
    func names(address: String, destination: SOCKSProxy.Destination, lookups: [String]) async throws {
        let server = try LoopbackServer { _ in .ok(bytes(50_000)) }
        defer { server.stop() }
        let proxy = try SOCKSProxy(to: server.port)
        defer { proxy.stop() }
        let url = try #require(URL(string: "http://images.test:81/a"))
        let handler = try await run(request(url), on: transport(through: "\(address):\(proxy.port)"))
        _ = try await handler.result().get()
        #expect(handler.now.body == bytes(50_000))
        #expect(proxy.destinations == [destination])
        #expect(server.requests.map { $0.header("Host") } == ["images.test:81"])
        #expect(resolver.lookups.sorted() == lookups)
    }

    @Test("TLS through the proxy verifies the server's certificate")
    func secure() async throws {
        let server = try HTTP2Server { connection in
            while let stream = connection.nextRequest() { connection.respond(stream, bytes(30_000)) }
        }
        defer { server.stop() }
        let proxy = try SOCKSProxy(to: server.port)
        defer { proxy.stop() }
        let tls = try TLSRig.configuration()
        let address = "socks5h://127.0.0.1:\(proxy.port)"
        let url = try #require(URL(string: "https://localhost:444/a"))
        let handler = try await run(request(url) { $0.tls = tls }, on: transport(through: address))
        #expect(try await handler.metrics().protocolName == "HTTP/2")
        #expect(handler.now.body == bytes(30_000))
        let other = try #require(URL(string: "https://elsewhere.test/a"))
        let error = try await run(request(other) { $0.tls = tls }, on: transport(through: address)).error()
        guard case .untrustedCertificate(.wrongHost, _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(proxy.destinations == [.name("localhost", port: 444), .name("elsewhere.test", port: 443)])
    }

    @Test("A proxy that refuses the request, or that does not listen, gives a connection error")
    func refusals() async throws {
        let url = try #require(URL(string: "http://images.test/a"))
        let proxy = try SOCKSProxy(to: 1, reply: 5)
        let address = "socks5h://127.0.0.1:\(proxy.port)"
        let refusal = try await run(request(url), on: transport(through: address)).error()
        guard case .connect(let text) = refusal, text.contains("SOCKS5") else {
            return #expect(Bool(false), "\(String(describing: refusal))")
        }
        proxy.stop()
        let absence = try await run(request(url), on: transport(through: address)).error()
        guard case .connect = absence else { return #expect(Bool(false), "\(String(describing: absence))") }
    }

    @Test("A guarded transfer does not use the proxy")
    func addressGuard() async throws {
        let server = try LoopbackServer { _ in .ok(Data("direct".utf8)) }
        defer { server.stop() }
        let proxy = try SOCKSProxy(to: server.port)
        defer { proxy.stop() }
        let transport = transport(through: "socks5h://127.0.0.1:\(proxy.port)")
        let url = server.url(host: "images.test")
        let handler = try await run(
            request(url) { $0.addressPolicy = .custom { $0.description == "127.0.0.1" } }, on: transport)
        #expect(handler.now.body == Data("direct".utf8))
        #expect(proxy.destinations == [])
        #expect(resolver.lookups == ["images.test"])
    }
}
