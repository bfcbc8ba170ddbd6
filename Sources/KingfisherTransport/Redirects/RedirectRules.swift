import Foundation
public import FoundationNetworking

/// Decides where a response sends its request: values in, decision out.
///
/// Followed are 301, 302, 303, 307 and 308 (RFC 9110, 15.4) that lead to http or https, but not from https to
/// http. A redirect to another origin (scheme, host, port) leaves `Authorization`, `Cookie`,
/// `Proxy-Authorization`, `Origin` and a `Host` of the request's own behind. Name and password in a
/// `Location` are dropped: a server does not choose our credentials.
public struct RedirectRules: Sendable, Hashable {
    /// What becomes of a response.
    public enum Decision: Sendable, Equatable {
        /// Send this request next.
        case follow(URLRequest)
        /// Not a redirect, or one that names no place: the response is the answer.
        case deliver
        case fail(TransportError)
    }

    /// How many redirects one fetch may follow.
    public var limit: Int

    /// Follows at most `limit` redirects in one fetch.
    public init(limit: Int = 5) {
        self.limit = limit
    }

    /// - Parameters:
    ///   - response: The response to `request`.
    ///   - hops: How many redirects led to `request`.
    public func decide(_ response: TransportResponse, to request: URLRequest, hops: Int) -> Decision {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.value(forField: "Location"), !location.isEmpty
        else { return .deliver }
        guard hops < limit else { return .fail(.tooManyRedirects(limit: limit)) }
        guard let current = request.url, let target = Self.resolve(location, from: current) else {
            return .fail(.redirectRefused("the Location is not a URL"))
        }
        if let refusal = Self.refusal(from: current, to: target) { return .fail(refusal) }
        var next = request
        next.url = target.withoutUserInfo
        adaptMethod(of: &next, status: response.status)
        Self.dropCredentials(of: &next, from: current)
        Self.cleanReferer(of: &next)
        return .follow(next)
    }

    /// Checks a request that somebody chose in place of the one decided here: the same limits
    /// on where it leads.
    ///
    /// Where it leads to another origin, it loses the credentials that it still has from `proposed`. Those
    /// that were put in or changed are kept: whoever chose the request meant them for the new place.
    ///
    /// - Parameters:
    ///   - proposed: What ``decide(_:to:hops:)`` answered.
    ///   - request: What the redirect was the response to.
    public func check(_ chosen: URLRequest, insteadOf proposed: URLRequest, after request: URLRequest)
        -> Decision
    {
        guard let current = request.url, let target = chosen.url else {
            return .fail(.redirectRefused("the new request has no URL"))
        }
        if let refusal = Self.refusal(from: current, to: target) { return .fail(refusal) }
        var next = chosen
        Self.dropCredentials(of: &next, from: current, carriedBy: proposed)
        return .follow(next)
    }

    /// The absolute URL a `Location` means; it inherits the fragment (RFC 9110, 10.2.2).
    private static func resolve(_ location: String, from current: URL) -> URL? {
        guard let url = URL(string: location, relativeTo: current)?.absoluteURL else { return nil }
        guard url.fragment == nil, let fragment = current.fragment(percentEncoded: true),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        parts.percentEncodedFragment = fragment
        return parts.url ?? url
    }

    private static func refusal(from current: URL, to target: URL) -> TransportError? {
        guard let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            return .redirectRefused("it leads to the scheme \(target.scheme ?? "(none)")")
        }
        guard Endpoint(target) != nil else { return .redirectRefused("it names no host") }
        if scheme == "http", current.scheme?.lowercased() == "https" {
            return .redirectRefused("it leads from https to http")
        }
        return nil
    }

    /// 303 turns everything but HEAD into GET, 301 and 302 turn POST into GET as every browser does; the body
    /// and the fields that describe it go with it.
    private func adaptMethod(of request: inout URLRequest, status: Int) {
        let method = request.httpMethod ?? "GET"
        let becomesGET = status == 303 ? method != "HEAD" : [301, 302].contains(status) && method == "POST"
        guard becomesGET else { return }
        request.httpMethod = "GET"
        request.httpBody = nil
        for name in [
            "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length",
        ] {
            request.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// A `Referer` shows no name and password (RFC 9110, 10.1.3).
    private static func cleanReferer(of request: inout URLRequest) {
        guard let text = request.value(forHTTPHeaderField: "Referer"), let url = URL(string: text) else {
            return
        }
        let clean = url.withoutUserInfo
        if clean != url { request.setValue(clean.absoluteString, forHTTPHeaderField: "Referer") }
    }

    /// What was meant for one origin is not shown to another. With `carrier` only what came by
    /// it counts as such.
    private static func dropCredentials(
        of request: inout URLRequest, from current: URL, carriedBy carrier: URLRequest? = nil
    ) {
        guard let target = request.url, Origin(current) != Origin(target) else { return }
        for name in ["Authorization", "Cookie", "Proxy-Authorization", "Origin", "Host"] {
            guard let value = request.value(forHTTPHeaderField: name),
                carrier == nil || carrier?.value(forHTTPHeaderField: name) == value
            else { continue }
            request.setValue(nil, forHTTPHeaderField: name)
        }
    }
}
