import Foundation
import FoundationNetworking
import Testing

@testable import KingfisherTransport

@Suite struct CredentialStoreTests {
    private let me = LoginCredential(user: "me", password: "secret")

    private func request(_ text: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    private func basic(_ realm: String = "r", _ credential: LoginCredential? = nil) -> Authorization {
        Authorization(method: .basic(realm: realm), credential: credential ?? me)
    }

    private func digest(_ rest: String = "") throws -> Authorization {
        let field = #"Digest realm="d", nonce="n", qop="auth""# + rest
        return Authorization(method: try #require(AuthenticationMethod.strongest(in: field)), credential: me)
    }

    @Test("A Basic credential applies at and below the folder of the request (RFC 7617, 2.2)")
    func basicFolders() throws {
        let store = CredentialStore()
        store.remember(basic(), for: try #require(URL(string: "http://a.test/dir/file?q=/x/y")))
        let table = [
            ("http://a.test/dir/other", true), ("http://A.test:80/dir/sub/x", true),
            ("http://a.test/dir/", true),
            ("http://a.test/", false), ("http://a.test/directory", false), ("http://a.test/dir/../x", false),
            ("https://a.test/dir/x", false), ("http://a.test:81/dir/x", false),
            ("http://b.test/dir/x", false), ("http://a.test/dir/a..b/%2Fx?y=/../", true),
            ("http://a.test/dir/%2E./x", false), ("http://a.test/dir/sub/..%2f..%5Cx", false),
            ("http://a.test/dir/%FF/%2e%2e/%2e%2e/x", false),
        ]
        for (url, isSent) in table {
            #expect((store.knownAuthorization(for: try request(url)) != nil) == isSent, "\(url)")
        }
    }

    @Test func nearestFolderWins() throws {
        let store = CredentialStore()
        let other = LoginCredential(user: "other", password: "")
        store.remember(basic("outer"), for: try #require(URL(string: "http://a.test/")))
        store.remember(basic("inner", other), for: try #require(URL(string: "http://a.test/x/y")))
        #expect(store.knownAuthorization(for: try request("http://a.test/x/z"))?.credential == other)
        #expect(store.knownAuthorization(for: try request("http://a.test/z"))?.credential == me)
    }

    @Test("A Digest credential applies to the whole server, or to its URLs in domain (RFC 7616, 3.3)")
    func digestDomain() throws {
        let url = try #require(URL(string: "http://a.test/dir/file"))
        let whole = CredentialStore()
        whole.remember(try digest(), for: url)
        #expect(whole.knownAuthorization(for: try request("http://a.test/")) != nil)
        let part = CredentialStore()
        part.remember(try digest(#", domain="/p http://a.test/q http://b.test/""#), for: url)
        for (path, isSent) in [("/p/x", true), ("/q", true), ("/dir/file", false)] {
            #expect((part.knownAuthorization(for: try request("http://a.test" + path)) != nil) == isSent)
        }
        #expect(part.knownAuthorization(for: try request("http://b.test/")) == nil)
    }

    @Test func nonceCountsIncrease() throws {
        let store = CredentialStore(clientNonce: { "c" })
        let authorization = try digest()
        let values = try (0..<3).map { _ in
            store.fieldValue(of: authorization, for: try request("http://a.test/x"))
        }
        for (index, value) in values.enumerated() {
            #expect(value.contains("nc=0000000\(index + 1)") && value.contains(#"cnonce="c""#))
        }
        #expect(CredentialStore.randomNonce() != CredentialStore.randomNonce())
    }

    @Test func forgettingKeepsANewerCredential() throws {
        let store = CredentialStore()
        let url = try #require(URL(string: "http://a.test/x"))
        let origin = try #require(Origin(url))
        let new = LoginCredential(user: "me", password: "new")
        store.remember(basic(), for: url)
        store.remember(basic("r", new), for: url)
        store.forget(basic(), at: origin)
        #expect(store.authorization(for: "r", at: origin)?.credential == new)
        store.forget(basic("r", new), at: origin)
        #expect(store.authorization(for: "r", at: origin)?.credential == nil)
    }

    @Test func storeIsBounded() throws {
        let store = CredentialStore()
        for index in 0..<1_000 {
            store.remember(basic(), for: try #require(URL(string: "http://a\(index).test/")))
            store.remember(basic("realm \(index)"), for: try #require(URL(string: "http://a.test/\(index)/")))
            store.remember(basic("many"), for: try #require(URL(string: "http://m.test/\(index)/")))
        }
        let last = try request("http://a.test/999/")
        #expect(store.knownAuthorization(for: last)?.method.realm == "realm 999")
        #expect(store.knownAuthorization(for: try request("http://a.test/1/")) == nil)
        #expect(store.knownAuthorization(for: try request("http://m.test/999/x")) != nil)
        #expect(store.knownAuthorization(for: try request("http://m.test/1/x")) == nil)
    }
}
