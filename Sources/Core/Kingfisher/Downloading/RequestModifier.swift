import Foundation
public import FoundationNetworking

/// Changes a request before it is sent, asynchronously.
public protocol AsyncImageDownloadRequestModifier: Sendable {
    /// The request to send in place of `request`; nil fails the download with `emptyRequest`.
    func modified(for request: URLRequest) async -> URLRequest?

    /// Called with the task after the request has started, before it completes.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

/// Changes a request before it is sent, synchronously: the download starts before the call returns.
public protocol ImageDownloadRequestModifier: AsyncImageDownloadRequestModifier {
    /// The request to send in place of `request`; nil fails the download with `emptyRequest`.
    func modified(for request: URLRequest) -> URLRequest?
}

extension ImageDownloadRequestModifier {
    public func modified(for request: URLRequest) async -> URLRequest? {
        let synchronous: (URLRequest) -> URLRequest? = modified(for:)
        return synchronous(request)
    }

    public var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

/// A request modifier that calls a closure.
public struct AnyModifier: ImageDownloadRequestModifier {
    private let block: @Sendable (URLRequest) -> URLRequest?

    /// Creates a modifier that calls `modify` on the thread that starts the download.
    public init(modify: @escaping @Sendable (URLRequest) -> URLRequest?) {
        block = modify
    }

    public func modified(for request: URLRequest) -> URLRequest? {
        block(request)
    }
}
