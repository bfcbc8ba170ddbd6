import Foundation
package import FoundationNetworking

/// Sends and stores the cookies of a `HTTPCookieStorage` for each exchange, by the rules of RFC 6265.
///
/// Unchecked: Foundation's storage is not declared sendable, but synchronizes itself with a queue.
package struct CookieJar: @unchecked Sendable {
    /// The minimum of RFC 6265, 6.1. Hosts with different owners may share a domain, which cannot be detected
    /// without a list of public suffixes; cookies of one host must not burden another.
    static let maxPerDomain = 50
    /// Fewer than in a browser, because Foundation's storage searches all cookies for each one that is set.
    static let maxInAll = 1_000
    /// The maximum size of the field in a request; servers refuse longer ones.
    static let maxSentBytes = 8 << 10

    private let storage: HTTPCookieStorage
    private let sends: Bool
    private let policy: HTTPCookie.AcceptPolicy

    package init?(_ configuration: URLSessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.storage = storage
        sends = configuration.httpShouldSetCookies
        policy = configuration.httpCookieAcceptPolicy
    }

    func apply(to request: inout URLRequest, at now: Date = Date()) {
        guard sends, request.httpShouldHandleCookies, request.value(forHTTPHeaderField: "Cookie") == nil,
            let all = storage.cookies, !all.isEmpty, let url = request.url, let origin = Origin(url)
        else { return }
        let path = url.requestTarget.prefix { $0 != "?" }
        let fitting = all.filter { cookie in
            Self.matches(domain: cookie.domain.lowercased(), host: origin.host)
                && (!cookie.isSecure || origin.scheme == "https")
                && cookie.expiresDate.map { $0 > now } ?? true
                && Self.matches(path: cookie.path, target: path)
                && !(cookie.name + cookie.value).utf8.contains { $0 < 32 || $0 == UInt8(ascii: ";") }
        }
        guard !fitting.isEmpty else { return }
        // RFC 6265, 5.4: longer paths first. Names make the order of equal ones deterministic.
        let sorted = Self.chosen(fitting).sorted {
            ($1.path.utf8.count, $0.name) < ($0.path.utf8.count, $1.name)
        }
        request.setValue(sorted.map(Self.pair).joined(separator: "; "), forHTTPHeaderField: "Cookie")
    }

    /// As many cookies as fit into a request: first the host's own, so that cookies for the whole domain
    /// cannot displace them, then the most recently set.
    private static func chosen(_ cookies: [HTTPCookie]) -> [HTTPCookie] {
        func size(_ cookie: HTTPCookie) -> Int { pair(cookie).utf8.count + 2 }
        guard cookies.reduce(0, { $0 + size($1) }) > maxSentBytes else { return cookies }
        var left = maxSentBytes
        let ranked = cookies.map { ($0, isShared: $0.domain.hasPrefix("."), created: $0.creation) }
            .sorted { $0.isShared == $1.isShared ? $0.created > $1.created : $1.isShared }
        return ranked.map(\.0).filter { cookie in
            guard size(cookie) <= left else { return false }
            left -= size(cookie)
            return true
        }
    }

    private static func pair(_ cookie: HTTPCookie) -> String { "\(cookie.name)=\(cookie.value)" }

    /// Stores the cookies that a response sets for its URL.
    /// - Parameter first: The URL that the fetch started with. With `.onlyFromMainDocumentDomain`, other
    ///   hosts cannot set cookies.
    func take(_ lines: [String], from url: URL?, fetchedFor first: URL?, at now: Date = Date()) {
        guard policy != .never, storage.cookieAcceptPolicy != .never, !lines.isEmpty, let url,
            let host = Origin(url)?.host
        else { return }
        if policy == .onlyFromMainDocumentDomain, let first = first.flatMap(Origin.init)?.host,
            !Self.matches(domain: "." + first, host: host)
        {
            return
        }
        let settings = CookieSetting.read(lines, from: url, at: now)
        guard !settings.isEmpty else { return }
        var update = CookieUpdate(storage.cookies ?? [], host: host, at: now)
        update.makeRoom(for: settings.count)
        let isFromSecure = url.scheme?.lowercased() == "https"
        for setting in settings { update.take(setting, isFromSecure: isFromSecure) }
        for cookie in update.removed { storage.deleteCookie(cookie) }
        for cookie in update.added { storage.setCookie(cookie) }
    }

    /// RFC 6265, 5.1.3. A leading dot includes subdomains.
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
