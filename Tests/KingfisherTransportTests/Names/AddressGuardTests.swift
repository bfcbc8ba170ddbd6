import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// The address guard against real connections. Only loopback can be reached here, so most policies allow
/// that.
@Suite struct AddressGuardTests {
    private let inner = IPAddress("127.0.0.1")
    private var onlyInner: AddressPolicy { .custom { [inner] in $0 == inner } }

    private func send(
        _ url: URL, _ policy: AddressPolicy, on transport: some Transport
    ) async throws -> Recorder {
        let handler = Recorder()
        _ = HTTPFetch(transport).start(request(url) { $0.addressPolicy = policy }, handler: handler)
        _ = try await handler.result()
        return handler
    }

    private func isRefused(_ handler: Recorder) async throws -> Bool {
        if case .addressRefused = try await handler.error() { true } else { false }
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "localhost.", "LOCALHOST", "2130706433", "0x7f000001", "0x7f.1", "127.1",
        "127.0.1",
        "0177.0.0.1", "017700000001", "%31%32%37.0.0.1", "%6c%6fcalhost", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
    ])
    func noSpellingLeadsToThisMachine(_ host: String) async throws {
        let server = try LoopbackServer { _ in .ok(Data("in".utf8)) }
        defer { server.stop() }
        let url = server.url(host: host)
        let transport = curlTransport {
            // Not every system looks a name with a dot up in its hosts file.
            if host.hasSuffix(".") { $0.resolver = StubResolver { _ in .success(loopback) } }
        }
        defer { transport.invalidate() }
        #expect(try await isRefused(send(url, .publicOnly, on: transport)))
        #expect(server.acceptedConnections == 0)
        let open = try await send(url, .any, on: transport)
        #expect(open.now.body == Data("in".utf8), "the spelling does lead here")
        // Now there is a connection that could be used again.
        #expect(try await isRefused(send(url, .publicOnly, on: transport)))
        #expect(server.requestCount() == 1)
    }

    @Test(arguments: ["2130706433", "0x7f.1", "127.1", "%31%32%37.0.0.1", "[::ffff:127.0.0.1]"])
    func theSocketIsCheckedWhateverTheResolverSays(_ host: String) async throws {
        let server = try LoopbackServer { _ in .ok(Data()) }
        defer { server.stop() }
        let elsewhere = try #require(IPAddress("8.8.8.8"))
        let transport = curlTransport { $0.resolver = StubResolver { _ in .success([elsewhere]) } }
        defer { transport.invalidate() }
        #expect(try await isRefused(send(server.url(host: host), .publicOnly, on: transport)))
        #expect(server.acceptedConnections == 0)
    }

    @Test func otherAddressesOfANameStillServe() async throws {
        let server = try LoopbackServer { _ in .ok(Data("in".utf8)) }
        defer { server.stop() }
        let mixed = ["10.0.0.1", "127.0.0.1", "::1"].compactMap { IPAddress($0) }
        let transport = curlTransport { $0.resolver = StubResolver { _ in .success(mixed) } }
        defer { transport.invalidate() }
        let url = server.url(host: "mixed.test")
        let handler = try await send(url, onlyInner, on: transport)
        #expect(try handler.now.result?.get().remoteIP == "127.0.0.1")
        #expect(try await isRefused(send(url, .publicOnly, on: transport)))
    }

    @Test func aNameThatTurnsInwardsIsRefused() async throws {
        let server = try LoopbackServer { _ in .ok(Data()).then(.close) }
        defer { server.stop() }
        let resolver = TurningResolver(["127.0.0.1", "127.0.0.2"])
        let transport = curlTransport { $0.resolver = resolver }
        defer { transport.invalidate() }
        let url = server.url(host: "turning.test")
        let first = try await send(url, onlyInner, on: transport)
        #expect(throws: Never.self) { try first.now.result?.get() }
        #expect(resolver.questions == 1, "what was checked is what was connected to")
        #expect(try await isRefused(send(url, onlyInner, on: transport)))
        #expect(resolver.questions == 2)
        #expect(server.requestCount() == 1)
    }

    @Test func aCachedAnswerIsCheckedAndPinned() async throws {
        let server = try LoopbackServer { _ in .ok(Data()).then(.close) }
        defer { server.stop() }
        let time = Mutex(ContinuousClock.now)
        let resolver = TurningResolver(["127.0.0.1", "127.0.0.2"])
        let transport = curlTransport {
            $0.resolver = CachingResolver(resolver, lifetime: .seconds(30)) { time.withLock { $0 } }
        }
        defer { transport.invalidate() }
        let url = server.url(host: "turning.test")
        for _ in 0..<2 {
            let handler = try await send(url, onlyInner, on: transport)
            #expect(throws: Never.self) { try handler.now.result?.get() }
        }
        #expect(resolver.questions == 1)
        #expect(try await isRefused(send(url, .publicOnly, on: transport)), "the cache is checked anew")
        time.withLock { $0 += .seconds(31) }
        #expect(try await isRefused(send(url, onlyInner, on: transport)))
        #expect(server.requestCount() == 2)
    }

    @Test func aPooledConnectionIsChecked() async throws {
        let server = try LoopbackServer { _ in .ok(Data()) }
        defer { server.stop() }
        let resolver = TurningResolver(["127.0.0.1", "127.0.0.2"])
        let transport = curlTransport { $0.resolver = resolver }
        defer { transport.invalidate() }
        let url = server.url(host: "turning.test")
        _ = try await send(url, .any, on: transport)
        #expect(server.openConnections == 1)
        // The new address is allowed, but the connection at hand leads to the old one.
        let handler = try await send(url, .custom { [inner] in $0 != inner }, on: transport)
        #expect(try await handler.error() == .addressRefused("turning.test"))
        #expect(server.requestCount() == 1 && server.acceptedConnections == 1)
    }

    @Test(arguments: ["http://127.0.0.2/", "http://2130706434/", "http://inside.test/"])
    func everyRedirectIsChecked(_ target: String) async throws {
        let server = try LoopbackServer { _ in .redirect(to: target) }
        defer { server.stop() }
        let transport = curlTransport {
            $0.resolver = StubResolver { name in
                .success([name == "outside.test" ? "127.0.0.1" : "127.0.0.2"].compactMap { IPAddress($0) })
            }
        }
        defer { transport.invalidate() }
        let handler = try await send(server.url(host: "outside.test"), onlyInner, on: transport)
        #expect(try await isRefused(handler))
        #expect(server.requestCount() == 1)
    }

    @Test func aGuardedTransferUsesNoProxy() async throws {
        let server = try LoopbackServer { _ in .ok(Data("direct".utf8)) }
        defer { server.stop() }
        let proxy = try LoopbackServer { _ in .ok(Data("proxy".utf8)) }
        defer { proxy.stop() }
        let transport = curlTransport {
            $0.environment = ["http_proxy": proxy.url("").absoluteString]
            $0.resolver = StubResolver { _ in .success(loopback) }
        }
        defer { transport.invalidate() }
        let url = server.url(host: "server.test")
        #expect(try await send(url, .any, on: transport).now.body == Data("proxy".utf8))
        #expect(try await send(url, onlyInner, on: transport).now.body == Data("direct".utf8))
        #expect(proxy.requestCount() == 1)
    }
}

/// Answers one address after the other, the last one for ever.
private final class TurningResolver: Resolver {
    private let addresses: [IPAddress]
    private let asked = Mutex(0)

    init(_ addresses: [String]) { self.addresses = addresses.compactMap { IPAddress($0) } }

    var questions: Int { asked.withLock(\.self) }

    func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        let index = asked.withLock { asked in
            defer { asked += 1 }
            return min(asked, addresses.count - 1)
        }
        completion(.success([addresses[index]]))
    }
}
