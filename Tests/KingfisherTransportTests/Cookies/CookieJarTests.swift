import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

@Suite struct CookieJarTests {
    private func jar(_ change: (URLSessionConfiguration) -> Void = { _ in }) throws -> (
        CookieJar, HTTPCookieStorage
    ) {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return (try #require(CookieJar(configuration)), try #require(configuration.httpCookieStorage))
    }

    private func set(_ field: String, _ url: String, in jar: CookieJar, first: String? = nil) throws {
        let url = try #require(URL(string: url))
        jar.take(
            CookieSetting.lines(field).map(String.init), from: url,
            fetchedFor: first.flatMap { URL(string: $0) } ?? url)
    }

    private func sent(_ url: String, by jar: CookieJar, at now: Date = Date()) throws -> String? {
        var request = URLRequest(url: try #require(URL(string: url)))
        jar.apply(to: &request, at: now)
        return request.value(forHTTPHeaderField: "Cookie")
    }

    @Test func cookiesAreSentToMatchingURLs() throws {
        let (jar, _) = try jar()
        try set("h=1", "http://a.test/dir/x", in: jar)
        try set("d=2; Domain=a.test; Path=/", "http://www.a.test/", in: jar, first: "http://www.a.test/")
        try set("s=3; Secure; Path=/", "https://a.test/", in: jar)
        let table = [
            ("http://a.test/dir/y", "h=1; d=2"), ("http://A.TEST:8080/dir", "h=1; d=2"),
            ("http://a.test/", "d=2"),
            ("http://a.test/directory", "d=2"), ("http://www.a.test/dir/", "d=2"),
            ("https://a.test/", "d=2; s=3"),
            ("https://a.test/dir/", "h=1; d=2; s=3"), ("http://b.test/dir/", nil), ("http://xa.test/", nil),
            ("http://test/", nil),
        ]
        for (url, cookies) in table { #expect(try sent(url, by: jar) == cookies, "\(url)") }
    }

    @Test func expiredCookiesAreNotSent() throws {
        let (jar, storage) = try jar()
        try set("a=1; Max-Age=100, b=2", "http://a.test/", in: jar)
        #expect(try sent("http://a.test/", by: jar, at: Date() + 50) == "a=1; b=2")
        #expect(try sent("http://a.test/", by: jar, at: Date() + 101) == "b=2")
        try set("b=; Max-Age=0", "http://a.test/", in: jar)
        #expect(storage.cookies?.map(\.name) == ["a"])
        try set("a=new", "http://a.test/", in: jar)
        #expect(storage.cookies?.map(\.value) == ["new"])
    }

    @Test func acceptPoliciesApply() throws {
        let (never, empty) = try jar { $0.httpCookieAcceptPolicy = .never }
        try set("a=1", "http://a.test/", in: never)
        #expect(empty.cookies?.isEmpty == true)

        let (first, _) = try jar { $0.httpCookieAcceptPolicy = .onlyFromMainDocumentDomain }
        try set("a=1", "http://b.test/", in: first, first: "http://a.test/")
        try set("a=2", "http://x.a.test/", in: first, first: "http://a.test/")
        #expect(try sent("http://b.test/", by: first) == nil)
        #expect(try sent("http://x.a.test/", by: first) == "a=2")

        let (always, _) = try jar { $0.httpCookieAcceptPolicy = .always }
        try set("a=1", "http://b.test/", in: always, first: "http://a.test/")
        #expect(try sent("http://b.test/", by: always) == "a=1")

        let (silent, stored) = try jar { $0.httpShouldSetCookies = false }
        try set("a=1", "http://a.test/", in: silent)
        #expect(try sent("http://a.test/", by: silent) == nil)
        #expect(stored.cookies?.count == 1)

        let none = URLSessionConfiguration.ephemeral
        none.httpCookieStorage = nil
        #expect(CookieJar(none) == nil)
    }

    @Test func cookiesOfTheRequestReplaceTheJars() throws {
        let (jar, _) = try jar()
        try set("a=1", "http://a.test/", in: jar)
        var request = URLRequest(url: try #require(URL(string: "http://a.test/")))
        request.setValue("own=1", forHTTPHeaderField: "Cookie")
        jar.apply(to: &request)
        #expect(request.value(forHTTPHeaderField: "Cookie") == "own=1")
        var plain = URLRequest(url: try #require(URL(string: "http://a.test/")))
        plain.httpShouldHandleCookies = false
        jar.apply(to: &plain)
        #expect(plain.value(forHTTPHeaderField: "Cookie") == nil)
    }

    @Test func secureCookieIsNotReplacedOverHTTP() throws {
        let (jar, storage) = try jar()
        try set("a=1; Secure; Path=/", "https://a.test/", in: jar)
        try set("a=2; Path=/", "http://a.test/", in: jar)
        #expect(storage.cookies?.map(\.value) == ["1"])
    }

    @Test func cookiesOfOneServerAreLimited() throws {
        let (jar, storage) = try jar()
        for round in 0..<10 {
            try set((0..<40).map { "c\(round)x\($0)=1" }.joined(separator: ", "), "http://a.test/", in: jar)
        }
        let names = try #require(storage.cookies?.map(\.name))
        #expect(names.count == CookieJar.maxPerDomain)
        #expect(Set((0..<40).map { "c9x\($0)" }).isSubset(of: names), "the newest are stored")
    }

    @Test("A full jar evicts expired cookies, then the oldest of the largest domain (RFC 6265, 5.3)")
    func fullJarAcceptsNewCookies() throws {
        let (jar, storage) = try jar()
        try set("mine=1", "http://small.test/", in: jar)
        try set("old=1; Max-Age=1000", "http://other.test/", in: jar)
        for host in 0..<30 {
            let many = (0..<CookieSetting.maxPerResponse).map { "c\($0)=1" }.joined(separator: ", ")
            try set(many, "http://h\(host).test/", in: jar)
        }
        #expect(storage.cookies?.count == CookieJar.maxInAll)
        #expect(try sent("http://small.test/", by: jar) == "mine=1")
        #expect(try sent("http://other.test/", by: jar) == "old=1")
        let url = try #require(URL(string: "http://new.test/"))
        jar.take(["new=1"], from: url, fetchedFor: url, at: Date() + 2_000)
        #expect(try sent("http://new.test/", by: jar) == "new=1")
        #expect(try sent("http://other.test/", by: jar) == nil, "it has expired")
        #expect(storage.cookies?.count == CookieJar.maxInAll)
    }

    @Test func cookiesOfADomainDoNotDisplaceThoseOfTheHost() throws {
        let (jar, _) = try jar()
        try set("mine=1", "http://me.shared.example/", in: jar)
        let value = String(repeating: "x", count: 4_000)
        for index in 0..<20 {
            try set("c\(index)=\(value); Domain=shared.example", "http://evil.shared.example/", in: jar)
        }
        let field = try #require(try sent("http://me.shared.example/", by: jar))
        #expect(field.utf8.count <= CookieJar.maxSentBytes)
        #expect(field.split(separator: "; ").map { $0.prefix { $0 != "=" } } == ["c18", "c19", "mine"])
    }

    /// Any header is read without a trap, and stored cookies can be sent.
    @Test func arbitraryFieldsAreRead() throws {
        let (jar, _) = try jar()
        let pieces = [
            "a", "=", ";", ",", " ", "\t", "\u{0}", "\u{7f}", "é", "🍪", "Expires", "Max-Age", "Domain",
            "Path", "Secure",
            "9999999999999999999", "-", ".", "/", "\"", "Wed, 21 Oct 2099 07:28:00 GMT", "__Host-", "%00",
            "a.test",
        ]
        var state: UInt64 = 7
        for _ in 0..<3_000 {
            var field = ""
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                field += pieces[Int(state >> 33) % pieces.count]
            }
            try set(field, "https://www.a.test/x", in: jar)
        }
        let cookies = try sent("https://www.a.test/x", by: jar) ?? ""
        #expect(!cookies.utf8.contains { $0 < 32 })
    }

    @Test("A comma in a cookie's value does not start another cookie (RFC 9110, 5.3)")
    func commasOnTheWire() async throws {
        let server = try LoopbackServer { _ in
            .ok(
                Data(), headers: [("Set-Cookie", "a=x, session=evil; Path=/"), ("set-cookie", "b=2; Path=/")])
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let (jar, storage) = try jar()
        let fetch = HTTPFetch(transport, credentials: CredentialStore(), cookies: jar)
        let handler = try await fetch.run(request(server.url("/a")))
        _ = try await handler.metrics()
        #expect(
            storage.cookies?.map { "\($0.name)=\($0.value)" }.sorted() == ["a=x, session=evil", "b=2"])
        // The response's field is unchanged.
        let field = handler.now.head?.value(forHTTPHeaderField: "Set-Cookie")
        #expect(field == "a=x, session=evil; Path=/, b=2; Path=/")
    }

    @Test func fetchStoresAndSendsCookies() async throws {
        let other = try LoopbackServer { _ in .ok(Data(), headers: [("Set-Cookie", "other=1")]) }
        defer { other.stop() }
        let target = other.url("/x").absoluteString.replacing("127.0.0.1", with: "localhost")
        let server = try LoopbackServer { request in
            request.path == "/a"
                ? .status(
                    302,
                    headers: [("Location", "/b"), ("Set-Cookie", "one=1"), ("Set-Cookie", "two=2; Path=/")])
                : .redirect(to: target)
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let (jar, storage) = try jar()
        let fetch = HTTPFetch(transport, credentials: CredentialStore(), cookies: jar)
        for _ in 0..<2 { _ = try await fetch.run(request(server.url("/a"))).metrics() }
        #expect(
            server.requests.map { $0.header("Cookie") } == [
                nil, "one=1; two=2", "one=1; two=2", "one=1; two=2",
            ])
        #expect(other.requests.map { $0.header("Cookie") } == [nil, nil])
        // By default, cookies of other hosts than the first one are not stored.
        #expect(storage.cookies?.map(\.name).sorted() == ["one", "two"])
    }
}
