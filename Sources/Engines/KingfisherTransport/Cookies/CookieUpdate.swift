import Foundation
import FoundationNetworking

/// The changes to a jar's cookies that one response causes: values in, decisions out.
///
/// If there is no room, expired cookies are removed first, then the oldest of the domain with the most
/// cookies (RFC 6265, 5.3): a domain that fills the jar loses its own cookies.
struct CookieUpdate {
    private let now: Date
    private var visible: [HTTPCookie] = []
    private var others: [HTTPCookie] = []
    /// To be deleted before ``added`` is stored.
    private(set) var removed: [HTTPCookie] = []
    private(set) var added: [HTTPCookie] = []

    init(_ cookies: [HTTPCookie], host: String, at now: Date) {
        self.now = now
        for cookie in cookies {
            if let expires = cookie.expiresDate, expires <= now {
                removed.append(cookie)
            } else if CookieJar.matches(domain: cookie.domain.lowercased(), host: host) {
                visible.append(cookie)
            } else {
                others.append(cookie)
            }
        }
    }

    /// Makes room for `count` cookies, as if all were new. A jar that other code has overfilled shrinks by no
    /// more than that.
    mutating func makeRoom(for count: Int) {
        let excess = visible.count + others.count + count - CookieJar.maxInAll
        guard excess > 0 else { return }
        var domains = Dictionary(grouping: visible + others, by: \.domain)
        for _ in 0..<min(excess, count) {
            let fullest = domains.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
            guard let fullest, let oldest = Self.oldest(of: fullest.value) else { return }
            domains[fullest.key]?.removeAll { $0 === oldest }
            drop(oldest)
        }
    }

    mutating func take(_ setting: CookieSetting, isFromSecure: Bool) {
        // RFC 6265bis, 5.7: a cookie that was set over https is not replaced over http.
        guard isFromSecure || !visible.contains(where: { $0.isSecure && $0.name == setting.name }) else {
            return
        }
        let old = visible.first {
            $0.name == setting.name && $0.domain == setting.domain && $0.path == setting.path
        }
        if let expires = setting.expires, expires <= now {
            if let old { drop(old) }
            return
        }
        guard let cookie = HTTPCookie(setting) else { return }
        if let old { drop(old) }
        let neighbours = visible.filter { $0.domain == setting.domain }
        if neighbours.count >= CookieJar.maxPerDomain, let oldest = Self.oldest(of: neighbours) {
            drop(oldest)
        }
        visible.append(cookie)
        added.append(cookie)
    }

    /// Deletes by name, domain and path, so it does not matter whether the cookie has been stored yet.
    private mutating func drop(_ cookie: HTTPCookie) {
        visible.removeAll { $0 === cookie }
        others.removeAll { $0 === cookie }
        added.removeAll { $0 === cookie }
        removed.append(cookie)
    }

    private static func oldest(of cookies: [HTTPCookie]) -> HTTPCookie? {
        cookies.map { ($0, $0.creation) }.min { $0.1 < $1.1 }?.0
    }
}

extension HTTPCookie {
    /// When the cookie was last set, in seconds since 2001. Foundation stores it under a key without a public
    /// name.
    var creation: TimeInterval {
        properties?[HTTPCookiePropertyKey(rawValue: "Created")] as? TimeInterval ?? 0
    }

    fileprivate convenience init?(_ setting: CookieSetting) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: setting.name, .value: setting.value, .domain: setting.domain, .path: setting.path,
        ]
        properties[.expires] = setting.expires
        if setting.isSecure { properties[.secure] = "TRUE" }
        self.init(properties: properties)
    }
}
