import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// The address guard with real connections. Only loopback is reachable here, so most policies allow it.
@Suite struct AddressGuardTests {
    private let local = IPAddress("127.0.0.1")
    private var onlyLocal: AddressPolicy { .custom { [local] in $0 == local } }

    private func send(
        _ url: URL, _ policy: AddressPolicy, on transport: some Transport
    ) async throws -> Recorder {
        try await HTTPFetch(transport).run(request(url) { $0.addressPolicy = policy })
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
    func everySpellingOfLoopbackIsRefused(_ host: String) async throws {
        let server = try LoopbackServer { _ in .ok(Data("in".utf8)) }
        defer { server.stop() }
        let url = server.url(host: host)
        let transport = curlTransport {
            // Not every system looks up names that end with a dot in its hosts file.
            if host.hasSuffix(".") { $0.resolver = StubResolver { _ in .success(loopback) } }
        }
        defer { transport.invalidate() }
        #expect(try await isRefused(send(url, .publicOnly, on: transport)))
        #expect(server.acceptedConnections == 0)
        let open = try await send(url, .any, on: transport)
        #expect(open.now.body == Data("in".utf8), "the spelling does mean loopback")
        // A connection is open now that could be reused.
        #expect(try await isRefused(send(url, .publicOnly, on: transport)))
        #expect(server.requestCount() == 1)
    }

    @Test(arguments: ["2130706433", "0x7f.1", "127.1", "%31%32%37.0.0.1", "[::ffff:127.0.0.1]"])
    func socketAddressIsCheckedRegardlessOfTheResolver(_ host: String) async throws {
        let server = try LoopbackServer { _ in .ok(Data()) }
        defer { server.stop() }
        let elsewhere = try #require(IPAddress("8.8.8.8"))
        let transport = curlTransport { $0.resolver = StubResolver { _ in .success([elsewhere]) } }
        defer { transport.invalidate() }
        #expect(try await isRefused(send(server.url(host: host), .publicOnly, on: transport)))
        #expect(server.acceptedConnections == 0)
    }

    @Test func allowedAddressesOfANameAreUsed() async throws {
        let server = try LoopbackServer { _ in .ok(Data("in".utf8)) }
        defer { server.stop() }
        let mixed = ["10.0.0.1", "127.0.0.1", "::1"].compactMap { IPAddress($0) }
        let transport = curlTransport { $0.resolver = StubResolver { _ in .success(mixed) } }
        defer { transport.invalidate() }
        let url = server.url(host: "mixed.test")
        let handler = try await send(url, onlyLocal, on: transport)
        #expect(try handler.now.result?.get().remoteIP == "127.0.0.1")
        #expect(try await isRefused(send(url, .publicOnly, on: transport)))
    }

    @Test func nameThatChangesToAPrivateAddressIsRefused() async throws {
        let server = try LoopbackServer { _ in .ok(Data()).then(.close) }
        defer { server.stop() }
        let resolver = ChangingResolver(["127.0.0.1", "127.0.0.2"])
        let transport = curlTransport { $0.resolver = resolver }
        defer { transport.invalidate() }
        let url = server.url(host: "turning.test")
        let first = try await send(url, onlyLocal, on: transport)
        #expect(throws: Never.self) { try first.now.result?.get() }
        #expect(resolver.lookups == 1, "the checked address is the connected one")
        #expect(try await isRefused(send(url, onlyLocal, on: transport)))
        #expect(resolver.lookups == 2)
        #expect(server.requestCount() == 1)
    }

    @Test func cachedAddressIsCheckedAndPinned() async throws {
        let server = try LoopbackServer { _ in .ok(Data()).then(.close) }
        defer { server.stop() }
        let time = Mutex(ContinuousClock.now)
        let resolver = ChangingResolver(["127.0.0.1", "127.0.0.2"])
        let transport = curlTransport {
            $0.resolver = CachingResolver(resolver, lifetime: .seconds(30)) { time.withLock { $0 } }
        }
        defer { transport.invalidate() }
        let url = server.url(host: "turning.test")
        for _ in 0..<2 {
            let handler = try await send(url, onlyLocal, on: transport)
            #expect(throws: Never.self) { try handler.now.result?.get() }
        }
        #expect(resolver.lookups == 1)
        #expect(
            try await isRefused(send(url, .publicOnly, on: transport)), "cached addresses are checked again")
        time.withLock { $0 += .seconds(31) }
        #expect(try await isRefused(send(url, onlyLocal, on: transport)))
        #expect(server.requestCount() == 2)
    }

    @Test func pooledConnectionIsChecked() async throws {
        let server = try LoopbackServer { _ in .ok(Data()) }
        defer { server.stop() }
        let resolver = ChangingResolver(["127.0.0.1", "127.0.0.2"])
        let transport = curlTransport { $0.resolver = resolver }
        defer { transport.invalidate() }
        let url = server.url(host: "turning.test")
        _ = try await send(url, .any, on: transport)
        #expect(server.openConnections == 1)
        // The new address is allowed, but the pooled connection leads to the old one.
        let handler = try await send(url, .custom { [local] in $0 != local }, on: transport)
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
        let handler = try await send(server.url(host: "outside.test"), onlyLocal, on: transport)
        #expect(try await isRefused(handler))
        #expect(server.requestCount() == 1)
    }

    @Test func guardedTransferUsesNoProxy() async throws {
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
        #expect(try await send(url, onlyLocal, on: transport).now.body == Data("direct".utf8))
        #expect(proxy.requestCount() == 1)
    }
}

/// Returns its addresses in order, then repeats the last one.
private final class ChangingResolver: Resolver {
    private let addresses: [IPAddress]
    private let count = Mutex(0)

    init(_ addresses: [String]) { self.addresses = addresses.compactMap { IPAddress($0) } }

    var lookups: Int { count.withLock(\.self) }

    func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        let index = count.withLock { count in
            defer { count += 1 }
            return min(count, addresses.count - 1)
        }
        completion(.success([addresses[index]]))
    }
}
