import Foundation
import FoundationNetworking
import Testing

@testable import KingfisherTransport

@Suite struct RedirectRulesTests {
    private func decide(
        _ status: Int, _ location: String?, from url: String = "http://a.test/dir/start?q=1",
        method: String = "GET",
        fields: [String: String] = [:], hops: Int = 0
    ) throws -> RedirectRules.Decision {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        if method != "GET" { request.httpBody = Data("b".utf8) }
        let target = try #require(request.url)
        let response = try #require(
            HTTPURLResponse(
                url: target, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: location.map { ["Location": $0] }))
        return RedirectRules().decide(TransportResponse(response), to: request, hops: hops)
    }

    private func next(_ decision: RedirectRules.Decision) throws -> URLRequest {
        guard case .follow(let request) = decision else {
            Issue.record("\(decision)")
            throw CancellationError()
        }
        return request
    }

    @Test(arguments: [
        ("/ok", "http://a.test/ok"), ("ok", "http://a.test/dir/ok"), ("../up", "http://a.test/up"),
        ("?q=2", "http://a.test/dir/start?q=2"), ("//b.test/x", "http://b.test/x"),
        ("https://a.test/s", "https://a.test/s"), ("HTTP://A.test/c", "HTTP://A.test/c"),
        ("http://b.test:81/#part", "http://b.test:81/#part"), ("/with space", "http://a.test/with%20space"),
        ("/a%20b c.png", "http://a.test/a%20b%20c.png"),
        ("/x?q=%2F|\"ä", "http://a.test/x?q=%2F%7C%22%C3%A4"), ("/100%/x", "http://a.test/100%25/x"),
        ("\\y\\z?\\", "http://a.test/y/z?%5C"), ("//ü.test/%20 ", "http://xn--tda.test/%20"),
        ("%2e%2e/a/./b/..", "http://a.test/a/"), ("http://b.test/a/../%2E%2e/c", "http://b.test/c"),
        ("/a/..%2fb", "http://a.test/a/..%2fb"),
    ])
    func locationsAreResolved(_ location: String, target: String) throws {
        #expect(try next(decide(302, location)).url?.absoluteString == target)
    }

    @Test("Bytes of a Location that are not UTF-8 stay as they are")
    func rawBytes() throws {
        let head = "HTTP/1.1 302\r\nLocation: /caf".utf8 + [0xE9] + " %e9.png\r\n\r\n".utf8
        #expect(
            try next(decide(head: Array(head))).url?.absoluteString == "http://a.test/caf%E9%20%e9.png")
    }

    @Test("Equal Location fields count once, different ones are a malformed response")
    func repeatedLocations() throws {
        let equal = "HTTP/1.1 302\r\nLocation: /a,b\r\nlocation: /a,b\r\nLocation:\r\n\r\n"
        #expect(try next(decide(head: Array(equal.utf8))).url?.absoluteString == "http://a.test/a,b")
        let different = "HTTP/1.1 302\r\nLocation: /a\r\nLocation: /b\r\n\r\n"
        guard case .fail(.malformed) = try decide(head: Array(different.utf8)) else {
            return #expect(Bool(false))
        }
    }

    private func decide(head: [UInt8]) throws -> RedirectRules.Decision {
        var parser = ResponseHead(limit: 1_000)
        for line in head.split(separator: 10) {
            _ = (line + [10]).withUnsafeBytes { parser.append($0) }
        }
        let url = try #require(URL(string: "http://a.test/dir/start"))
        let response = try #require(parser.response(url: url, requestTime: nil, at: .now))
        return RedirectRules().decide(response, to: URLRequest(url: url), hops: 0)
    }

    @Test func fragmentIsInherited() throws {
        #expect(
            try next(decide(301, "/x", from: "http://a.test/#f")).url?.absoluteString == "http://a.test/x#f")
        #expect(
            try next(decide(301, "/x#g", from: "http://a.test/#f")).url?.absoluteString == "http://a.test/x#g"
        )
    }

    @Test func otherResponsesAreDelivered() throws {
        for status in [200, 204, 300, 304, 305, 306, 404] { #expect(try decide(status, "/x") == .deliver) }
        #expect(try decide(302, nil) == .deliver)
        #expect(try decide(302, "") == .deliver)
    }

    @Test(arguments: [
        "file:///etc/hostname", "ftp://a.test/", "javascript:alert(1)", "data:,x", "http:///x", "http://",
    ])
    func otherSchemesAndMissingHostsAreRefused(_ location: String) throws {
        guard case .fail(.redirectRefused) = try decide(302, location) else { return #expect(Bool(false)) }
    }

    @Test func downgradeIsRefused() throws {
        guard case .fail(.redirectRefused) = try decide(302, "http://a.test/", from: "https://a.test/") else {
            return #expect(Bool(false))
        }
        #expect(try next(decide(302, "https://a.test/")).url?.scheme == "https")
    }

    @Test func redirectsAreLimited() throws {
        #expect(try next(decide(302, "/x", hops: 4)).url?.path == "/x")
        #expect(try decide(302, "/x", hops: 5) == .fail(.tooManyRedirects(limit: 5)))
        #expect(try decide(200, nil, hops: 5) == .deliver)
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
        (308, "POST", "POST"),
        (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (302, "HEAD", "HEAD"),
    ])
    func methodAfterARedirect(_ status: Int, before: String, after: String) throws {
        let request = try next(
            decide(status, "/x", method: before, fields: ["Content-Type": "a/b", "X-A": "1"]))
        #expect(request.httpMethod == after)
        let keepsBody = before == after
        #expect((request.httpBody != nil) == keepsBody)
        #expect((request.value(forHTTPHeaderField: "Content-Type") != nil) == keepsBody)
        #expect(request.value(forHTTPHeaderField: "X-A") == "1")
    }

    @Test(arguments: [
        ("/same", true), ("http://A.TEST:80/same", true), ("http://b.test/", false),
        ("http://a.test:81/", false),
        ("https://a.test/", false), ("http://sub.a.test/", false),
    ])
    func credentialsStayWithTheirOrigin(_ location: String, isKept: Bool) throws {
        let secret = [
            "Authorization": "a", "Cookie": "b", "Proxy-Authorization": "c", "Origin": "d", "Host": "h",
        ]
        let request = try next(decide(302, location, fields: secret.merging(["Accept": "e"]) { $1 }))
        for name in secret.keys {
            #expect((request.value(forHTTPHeaderField: name) != nil) == isKept, "\(name)")
        }
        #expect(request.value(forHTTPHeaderField: "Accept") == "e")
    }

    private func request(_ text: String, _ fields: [String: String] = [:]) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.allHTTPHeaderFields = fields
        return request
    }

    @Test func chosenRequestsAreChecked() throws {
        let rules = RedirectRules()
        let before = try request("https://a.test/")
        let proposed = try request("https://a.test/next")
        let other = try request("https://b.test/")
        #expect(rules.check(other, insteadOf: proposed, after: before) == .follow(other))
        for bad in ["http://a.test/", "file:///x"] {
            let decision = rules.check(try request(bad), insteadOf: proposed, after: before)
            guard case .fail(.redirectRefused) = decision else { return #expect(Bool(false)) }
        }
    }

    @Test func chosenRequestTakesNoCredentialsToAnotherOrigin() throws {
        let rules = RedirectRules()
        let secret = [
            "Authorization": "a", "Cookie": "b", "Proxy-Authorization": "c", "Origin": "d", "Host": "h",
            "Accept": "e",
        ]
        let before = try request("https://a.test/", secret)
        // Within the origin, the proposal has all fields; a hook that changes only its URL must not send them
        // to another origin.
        let proposed = try request("https://a.test/next", secret)
        var moved = proposed
        moved.url = URL(string: "https://b.test/")
        #expect(
            try next(rules.check(moved, insteadOf: proposed, after: before)).allHTTPHeaderFields == [
                "Accept": "e"
            ])
        // A field that the hook sets is sent.
        moved.setValue("for b", forHTTPHeaderField: "Authorization")
        #expect(
            try next(rules.check(moved, insteadOf: proposed, after: before)).allHTTPHeaderFields
                == ["Accept": "e", "Authorization": "for b"])
        // To another origin the proposal has no credentials, so the hook has set this value explicitly.
        let bare = try request("https://b.test/", ["Accept": "e"])
        var again = bare
        again.setValue("a", forHTTPHeaderField: "Authorization")
        #expect(try next(rules.check(again, insteadOf: bare, after: before)) == again)
        // Within the origin, all fields stay.
        #expect(try next(rules.check(proposed, insteadOf: proposed, after: before)) == proposed)
    }

    @Test(arguments: ["http://u:p@b.test/x", "http://u:p@a.test/x", "//u@b.test/x", "http://u:@b.test:81/x"])
    func credentialsInALocationAreRemoved(_ location: String) throws {
        let url = try #require(next(decide(302, location)).url)
        #expect(url.user == nil && url.password == nil)
        #expect(url.path == "/x")
    }

    @Test func credentialsInARefererAreRemoved() throws {
        let fields = ["Referer": "http://u:p@a.test/page?q=1"]
        for location in ["/x", "http://b.test/"] {
            let request = try next(decide(302, location, fields: fields))
            #expect(request.value(forHTTPHeaderField: "Referer") == "http://a.test/page?q=1")
        }
    }
}
