import Foundation
public import FoundationNetworking

/// Decides whether and where a response redirects a request: values in, decision out.
///
/// Redirects with status 301, 302, 303, 307 and 308 (RFC 9110, 15.4) to http or https are followed, except
/// from https to http. A redirect to another origin (scheme, host, port) removes `Authorization`, `Cookie`,
/// `Proxy-Authorization`, `Origin` and a custom `Host`. User name and password in a `Location` are dropped: a
/// server must not choose the client's credentials.
public struct RedirectRules: Sendable, Hashable {
    /// The decision about a response. Several `Location` fields must be equal (RFC 9110, 10.2.2).
    public enum Decision: Sendable, Equatable {
        case follow(URLRequest)
        /// Deliver the response: it is not a redirect, or it has no location.
        case deliver
        case fail(TransportError)
    }

    /// The maximum number of redirects in one fetch.
    public var limit: Int

    /// Creates rules that follow at most `limit` redirects in one fetch.
    public init(limit: Int = 5) {
        self.limit = limit
    }

    /// Decides about a response.
    ///
    /// - Parameters:
    ///   - response: The response to `request`.
    ///   - hops: The number of redirects that led to `request`.
    public func decide(_ response: TransportResponse, to request: URLRequest, hops: Int) -> Decision {
        guard [301, 302, 303, 307, 308].contains(response.status) else { return .deliver }
        let locations = response.locations
        guard let location = locations.first else { return .deliver }
        guard locations.allSatisfy({ $0 == location }) else {
            return .fail(.malformed("different Location fields"))
        }
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

    /// Checks a request that a hook chose instead of the proposed one, by the same rules for its target.
    ///
    /// If it leads to another origin, it loses the credentials that it still has from `proposed`. Credentials
    /// that the hook added or changed are kept: they were meant for the new origin.
    ///
    /// - Parameters:
    ///   - proposed: The request returned by ``decide(_:to:hops:)``.
    ///   - request: The request that was redirected.
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

    /// The absolute URL of a `Location`. It inherits the fragment (RFC 9110, 10.2.2).
    private static func resolve(_ location: [UInt8], from current: URL) -> URL? {
        guard let url = URL(webBytes: location, relativeTo: current)?.absoluteURL else { return nil }
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

    /// 303 changes every method except HEAD to GET; 301 and 302 change POST to GET, as browsers do. The body
    /// and its header fields are also removed.
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

    /// Removes user name and password from the `Referer` (RFC 9110, 10.1.3).
    private static func cleanReferer(of request: inout URLRequest) {
        guard let text = request.value(forHTTPHeaderField: "Referer"), let url = URL(string: text) else {
            return
        }
        let clean = url.withoutUserInfo
        if clean != url { request.setValue(clean.absoluteString, forHTTPHeaderField: "Referer") }
    }

    /// Removes credentials if the origin changes. With `carrier`, removes only values that are the same in
    /// it.
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
