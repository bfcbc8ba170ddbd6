import CCurl
import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherTransport

@Suite struct NameTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"), ("1.2.3", nil),
        ("localhost", nil), ("[::1]", nil), ("", nil), ("0x7f.1", nil), ("256.1.1.1", nil),
    ])
    func numericAddresses(_ text: String, canonical: String?) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test func endpointsOfURLs() throws {
        func endpoint(_ text: String) throws -> Endpoint? { Endpoint(try #require(URL(string: text))) }
        #expect(try endpoint("http://a.test/x") == Endpoint(host: "a.test", port: 80))
        #expect(try endpoint("HTTPS://a.test") == Endpoint(host: "a.test", port: 443))
        #expect(try endpoint("https://a.test:8443") == Endpoint(host: "a.test", port: 8443))
        #expect(try endpoint("http://[::1]:81/") == Endpoint(host: "::1", port: 81))
        #expect(try endpoint("file:///x") == nil)
        #expect(try endpoint("http://[::1]:81/")?.isNumeric == true)
        #expect(try endpoint("http://10.0.0.1/")?.isNumeric == true)
        #expect(try endpoint("http://10.test/")?.isNumeric == false)
        let entry = Endpoint(host: "a.test", port: 80).curlResolveEntry(
            ["1.2.3.4", "::1"].compactMap { IPAddress($0) })
        #expect(entry == "+a.test:80:1.2.3.4,[::1]")
    }

    @Test func cachedAddressesExpire() {
        let time = ContinuousClock.now
        var cache = ResolverCache(lifetime: .seconds(30), capacity: 2)
        cache.insert(loopback, for: "a", at: time)
        #expect(cache.addresses(of: "a", at: time + .seconds(29)) == loopback)
        #expect(cache.addresses(of: "a", at: time + .seconds(30)) == nil)
        cache.insert(loopback, for: "b", at: time + .seconds(10))
        cache.insert(loopback, for: "c", at: time + .seconds(20))
        #expect(cache.count == 2)
        #expect(
            cache.addresses(of: "a", at: time + .seconds(20)) == nil,
            "the entry with the earliest expiry is evicted")
        #expect(cache.addresses(of: "b", at: time + .seconds(20)) == loopback)
    }

    @Test func lookupsOfOneNameAreCoalesced() {
        let base = StubResolver { _ in nil }
        let time = Mutex(ContinuousClock.now)
        let resolver = CachingResolver(base, lifetime: .seconds(30)) { time.withLock { $0 } }
        let answers = Mutex<[Bool]>([])
        let resolve = { (name: String) in
            resolver.resolve(name) { result in answers.withLock { $0.append((try? result.get()) == loopback) }
            }
        }
        resolve("A.test")
        resolve("a.test")
        #expect(base.lookups == ["a.test"] && answers.withLock(\.self) == [])
        base.releaseAll(.success(loopback))
        #expect(answers.withLock(\.self) == [true, true])
        resolve("a.test")
        #expect(base.lookups.count == 1 && answers.withLock(\.count) == 3)
        time.withLock { $0 += .seconds(31) }
        resolve("a.test")
        #expect(base.lookups.count == 2)
        base.releaseAll(.failure(.resolve("gone")))
        resolve("a.test")
        #expect(base.lookups.count == 3, "a failure is not cached")
        #expect(answers.withLock(\.last) == false)
        base.releaseAll(.success(loopback))
    }

    @Test func systemResolvesLocalhost() async throws {
        let found = await withCheckedContinuation { continuation in
            SystemResolver().resolve("localhost") { continuation.resume(returning: $0) }
        }
        let addresses = try found.get()
        #expect(!addresses.isEmpty && addresses.allSatisfy { ["127.0.0.1", "::1"].contains($0.description) })
        #expect(Set(addresses).count == addresses.count)
        let missing = await withCheckedContinuation { continuation in
            SystemResolver().resolve("no such name") { continuation.resume(returning: $0) }
        }
        #expect(throws: TransportError.self) { try missing.get() }
    }

    @Test func manyLookupsShareFewThreads() async {
        let resolver = SystemResolver(maxWorkers: 2)
        let done = Atomic(0)
        for _ in 0..<200 { resolver.resolve("localhost") { _ in done.add(1, ordering: .relaxed) } }
        #expect(await poll { done.load(ordering: .relaxed) == 200 })
        #expect(await poll { ProcessStatus.threads(named: "kf-resolver") == 0 })
    }

    @Test(
        arguments: [
            ("http://a.test/", ["http_proxy": "p:1"], "p:1"),
            ("http://a.test/", ["HTTP_PROXY": "p:1"], nil),
            ("https://a.test/", ["http_proxy": "p:1"], nil),
            ("https://a.test/", ["HTTPS_PROXY": "p:2"], "p:2"),
            ("https://a.test/", ["https_proxy": "p:1", "HTTPS_PROXY": "p:2"], "p:1"),
            ("http://a.test/", ["ALL_PROXY": "p:3"], "p:3"),
            ("http://a.test/", ["http_proxy": ""], nil),
            ("http://a.test/", ["http_proxy": "p:1", "no_proxy": "b.test, test"], nil),
            ("http://a.test/", ["http_proxy": "p:1", "no_proxy": ".A.test"], nil),
            ("http://xa.test/", ["http_proxy": "p:1", "no_proxy": "a.test"], "p:1"),
            ("http://a.test/", ["http_proxy": "p:1", "NO_PROXY": "*"], nil),
            ("http://10.1.2.3/", ["http_proxy": "p:1", "no_proxy": "10.0.0.0/8"], nil),
            ("http://11.1.2.3/", ["http_proxy": "p:1", "no_proxy": "10.0.0.0/8"], "p:1"),
            ("http://10.1.2.3/", ["http_proxy": "p:1", "no_proxy": "10.1.2.0/23"], nil),
            ("http://10.1.2.3/", ["http_proxy": "p:1", "no_proxy": "10.1.2.3/33,::/0,10/8,2.3"], "p:1"),
            ("http://[::1]/", ["http_proxy": "p:1", "no_proxy": "[::1]"], nil),
        ] as [(String, [String: String], String?)])
    func proxiesOfTheEnvironment(_ url: String, environment: [String: String], proxy: String?) throws {
        #expect(ProxyEnvironment(environment).proxy(for: try #require(URL(string: url))) == proxy)
    }

    @Test(
        "The fast path reads the origin of a plain URL as Foundation does, and leaves others to Foundation",
        arguments: [
            ("http://a.test/x", true), ("https://a-1.b.test:8443/?q#f", true), ("http://1.2.3.4:00080", true),
            ("http://a.test?x", true), ("https://a.test#f", true), ("http://a.test:65536/", true),
            ("http://a.test.:80/", true), ("HTTP://a.test/", false), ("http://A.test/", false),
            ("http://user@a.test/", false), ("http://u:1@a.test/", false), ("http://[::1]:81/", false),
            ("http://a_b.test/", false), ("http://a%62.test/", false), ("http://xn--bcher-kva.test/", false),
            ("http://bücher.test/", false), ("http://a.test:/", false), ("http://a.test:123456/", false),
            ("http:///x", false), ("http:/a.test", false), ("ftp://a.test/", false), ("/x", false),
        ])
    func plainOrigins(_ text: String, isPlain: Bool) throws {
        let url = try #require(URL(string: text))
        let plain = Origin.plain(url)
        #expect((plain != nil) == isPlain)
        if let plain {
            #expect(plain.scheme == url.scheme)
            #expect(plain.host == url.host(percentEncoded: false))
            #expect(plain.port == url.port ?? (url.scheme == "https" ? 443 : 80))
            try expectLibcurlAgrees(with: plain, on: text)
        }
    }

    /// libcurl opens the connection, and parses the URL separately.
    private func expectLibcurlAgrees(with origin: Origin, on text: String) throws {
        let handle = try #require(curl_url())
        defer { curl_url_cleanup(handle) }
        let status = curl_url_set(handle, CURLUPART_URL, text, 0)
        guard origin.port <= 65535 else {
            #expect(status == CURLUE_BAD_PORT_NUMBER)
            return
        }
        #expect(status == CURLUE_OK)
        func part(_ part: CURLUPart) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &value, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let value
            else { return nil }
            defer { curl_free(value) }
            return String(cString: value)
        }
        #expect(part(CURLUPART_SCHEME) == origin.scheme)
        #expect(part(CURLUPART_HOST) == origin.host)
        #expect(part(CURLUPART_PORT) == "\(origin.port)")
    }

    @Test(
        arguments: [
            (nil, ["a.test:80"]), ("proxy.test", ["proxy.test:1080"]),
            ("http://u:p@proxy.test:3128", ["proxy.test:3128"]),
            ("https://proxy.test", ["proxy.test:443"]), ("socks5h://s.test:9", ["s.test:9"]),
            ("socks5://s.test:9", ["s.test:9", "a.test:80"]),
        ] as [(String?, [String])])
    func requiredLookups(_ proxy: String?, names: [String]) throws {
        let server = Endpoint(host: "a.test", port: 80)
        #expect(
            ProxyEnvironment.lookups(for: server, proxy: proxy).map { "\($0.host):\($0.port)" } == names)
    }
}
