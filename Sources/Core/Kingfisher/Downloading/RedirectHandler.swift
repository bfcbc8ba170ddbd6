import Foundation
public import FoundationNetworking

/// Decides about redirects that the library's own rules allow.
///
/// For a redirect to another origin (scheme, host, port), `Authorization`, `Cookie`, `Proxy-Authorization`,
/// `Origin` and a custom `Host` are removed before the handler is called; headers that the handler sets are
/// sent. If the handler changes the target of a redirect from the same origin to another, these headers of
/// `newRequest` are removed as well.
public protocol ImageDownloadRedirectHandler: Sendable {
    /// Returns the request to send next; nil delivers the redirect response itself.
    func handleHTTPRedirection(
        for task: SessionDataTask, response: HTTPURLResponse, newRequest: URLRequest
    ) async -> URLRequest?
}

/// A redirect handler that calls a closure. The closure must call its last argument exactly once.
public struct AnyRedirectHandler: ImageDownloadRedirectHandler {
    private let block:
        @Sendable (SessionDataTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void) ->
            Void

    /// Creates a handler that calls `handle` on any thread.
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
