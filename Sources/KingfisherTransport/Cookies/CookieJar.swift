import Foundation
package import FoundationNetworking

/// Sends and keeps the cookies of a `HTTPCookieStorage`, exchange by exchange, by the rules of RFC 6265.
///
/// Unchecked: Foundation's storage is not declared sendable; it guards itself by a queue.
package struct CookieJar: @unchecked Sendable {
    static let maxPerDomain = 180
    static let maxInAll = 3_000

    private let storage: HTTPCookieStorage
    private let sends: Bool
    private let policy: HTTPCookie.AcceptPolicy

    /// The jar that a configuration asks for; nil where it has no storage.
    package init?(_ configuration: URLSessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.storage = storage
        sends = configuration.httpShouldSetCookies
        policy = storage.cookieAcceptPolicy == .never ? .never : configuration.httpCookieAcceptPolicy
    }

    /// Adds the cookies that are for a request's URL. A `Cookie` of the request's own stands alone.
    func apply(to request: inout URLRequest, at now: Date = Date()) {
        guard sends, request.httpShouldHandleCookies, request.value(forHTTPHeaderField: "Cookie") == nil,
            let all = storage.cookies, !all.isEmpty, let url = request.url, let origin = Origin(url)
        else { return }
        let path = url.requestTarget.prefix { $0 != "?" }
        let fitting = all.filter { cookie in
            (!cookie.isSecure || origin.scheme == "https") && cookie.expiresDate.map { $0 > now } ?? true
                && Self.matches(domain: cookie.domain.lowercased(), host: origin.host)
                && Self.matches(path: cookie.path, target: path)
                && !(cookie.name + cookie.value).utf8.contains { $0 < 32 || $0 == UInt8(ascii: ";") }
        }
        guard !fitting.isEmpty else { return }
        // RFC 6265, 5.4: longer paths first. Names make the order of equal ones a certain one.
        let sorted = fitting.sorted { ($1.path.utf8.count, $0.name) < ($0.path.utf8.count, $1.name) }
        request.setValue(
            sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "; "), forHTTPHeaderField: "Cookie")
    }

    /// Keeps what a response sets for its own URL. `first` is where the fetch began: with
    /// `.onlyFromMainDocumentDomain` others set nothing.
    func take(_ response: TransportResponse, fetchedFor first: URL?, at now: Date = Date()) {
        guard policy != .never, let field = response.value(forField: "Set-Cookie"),
            let url = response.url, let host = Origin(url)?.host
        else { return }
        if policy == .onlyFromMainDocumentDomain, let first = first.flatMap(Origin.init)?.host,
            !Self.matches(domain: "." + first, host: host)
        {
            return
        }
        for setting in CookieSetting.read(field, from: url, at: now) { keep(setting, from: url, at: now) }
    }

    private func keep(_ setting: CookieSetting, from url: URL, at now: Date) {
        let known = storage.cookies ?? []
        let old = known.first {
            $0.name == setting.name && $0.domain == setting.domain && $0.path == setting.path
        }
        // RFC 6265bis, 5.7: what was set over https is not replaced over http.
        if url.scheme?.lowercased() != "https",
            known.contains(where: {
                $0.isSecure && $0.name == setting.name
                    && Self.matches(domain: $0.domain, host: Origin(url)?.host ?? "")
            })
        {
            return
        }
        if let expires = setting.expires, expires <= now {
            if let old { storage.deleteCookie(old) }
            return
        }
        let hasRoom =
            known.count < Self.maxInAll
            && known.count(where: { $0.domain == setting.domain }) < Self.maxPerDomain
        guard old != nil || hasRoom else { return }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: setting.name, .value: setting.value, .domain: setting.domain, .path: setting.path,
        ]
        properties[.expires] = setting.expires
        if setting.isSecure { properties[.secure] = "TRUE" }
        if let cookie = HTTPCookie(properties: properties) { storage.setCookie(cookie) }
    }

    /// RFC 6265, 5.1.3; a dot in front lets hosts below in.
    static func matches(domain: String, host: String) -> Bool {
        guard domain.hasPrefix(".") else { return domain == host }
        return domain.dropFirst() == host
            || host.hasSuffix(domain) && !Endpoint(host: host, port: 0).isNumeric
    }

    /// RFC 6265, 5.1.4.
    static func matches(path: String, target: some StringProtocol) -> Bool {
        guard target.hasPrefix(path) else { return false }
        return target.count == path.count || path.hasSuffix("/") || target.dropFirst(path.count).first == "/"
    }
}
