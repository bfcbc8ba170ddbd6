import Foundation
public import FoundationNetworking

/// Decides about redirects that the library's own rules allow.
///
/// A redirect to another origin (scheme, host, port) has lost `Authorization`, `Cookie`,
/// `Proxy-Authorization`, `Origin` and a `Host` of the request's own before the handler sees it; what the
/// handler puts in is sent. A handler that sends a redirect within the origin elsewhere does not take along
/// what `newRequest` still had of them.
public protocol ImageDownloadRedirectHandler: Sendable {
    /// The request to send next, `newRequest` or another; nil delivers the redirect response itself.
    func handleHTTPRedirection(
        for task: SessionDataTask, response: HTTPURLResponse, newRequest: URLRequest
    ) async -> URLRequest?
}

/// A redirect handler made of a closure, which must call its last argument exactly once.
public struct AnyRedirectHandler: ImageDownloadRedirectHandler {
    private let block:
        @Sendable (SessionDataTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void) ->
            Void

    /// Decides by `handle`, called on any thread.
    public init(
        handle:
            @escaping @Sendable (
                SessionDataTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
    ) {
        block = handle
    }

    public func handleHTTPRedirection(
        for task: SessionDataTask, response: HTTPURLResponse, newRequest: URLRequest
    ) async -> URLRequest? {
        await withCheckedContinuation { continuation in
            block(task, response, newRequest) { continuation.resume(returning: $0) }
        }
    }
}
