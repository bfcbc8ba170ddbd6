import Foundation
import FoundationNetworking

@testable import KingfisherTransport

/// Cookies of a response: their domain, their lifetime, and the requests that send them.
func keepCookies(of response: TransportResponse, from url: URL) {
    let lines = response.cookieLines
    guard !lines.isEmpty, let origin = Origin(url) else { return }
    for cookie in CookieSetting.read(lines, from: url, at: start) {
        let domain = cookie.domain.drop { $0 == "." }
        precondition(
            origin.host == domain || origin.host.hasSuffix("." + domain), "a cookie for another domain")
        precondition(
            cookie.domain == origin.host || domain.contains("."), "a cookie for a whole top-level domain")
        precondition(!cookie.isSecure || origin.scheme == "https", "a secure cookie over http")
        precondition(cookie.path.hasPrefix("/"), "the path is not absolute")
        precondition(
            cookie.expires.map { $0 <= start + CookieSetting.maxLifetime } ?? true,
            "a cookie that outlives the limit")
    }
    // Splitting joined cookie fields must lose nothing except commas.
    let joined = lines.joined(separator: ",")
    precondition(CookieSetting.lines(joined).joined(separator: ",") == joined, "splitting cookies lost bytes")

    guard let jar = CookieJar(.ephemeral) else { preconditionFailure("cannot create a jar") }
    jar.take(lines, from: url, fetchedFor: url, at: start)
    jar.take(Array(lines.reversed()), from: url, fetchedFor: url, at: start + 1)
    send(from: jar, to: url)
    for text in ["https://other.org/folder/", "https://notexample.com/", "https://27.0.0.1/"] {
        guard let stranger = URL(string: text) else { continue }
        precondition(send(from: jar, to: stranger) == nil, "a cookie was sent to another site")
    }
}

/// The `Cookie` field of a request for `url`.
@discardableResult
private func send(from jar: CookieJar, to url: URL) -> String? {
    var request = URLRequest(url: url)
    jar.apply(to: &request, at: start + 2)
    guard let field = request.value(forHTTPHeaderField: "Cookie") else { return nil }
    precondition(field.utf8.count <= CookieJar.maxSentBytes, "cookies are above the limit")
    check(request)
    return field
}

/// Traps if a request cannot be sent unchanged.
func check(_ request: URLRequest) {
    do {
        let fields = try RequestFields(request)
        precondition(
            fields.lines.allSatisfy { !$0.utf8.contains { $0 == 10 || $0 == 13 } },
            "a field contains a line break")
    } catch {
        preconditionFailure("cannot send a request: \(error)")
    }
}
