import Foundation
public import FoundationNetworking

/// Decides about redirects that the library's own rules allow.
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
