public import Foundation

/// Supplies the bytes of an image from a source other than a download.
///
/// Implement either `data()` or `data(handler:)`; the default of each calls the other. If the load is
/// cancelled, `data()` sees `Task.isCancelled`, and the load completes when it has returned or thrown. The
/// result of a cancelled `data(handler:)` is discarded, and the load completes immediately.
///
/// Simultaneous requests share one call of a provider with the same type, key and content URL; the call is
/// cancelled with the last of them. If the key does not identify the bytes, make the provider `Hashable`:
/// only equal providers then share a call. With `forceRefresh`, providers share a call if they are equal,
/// have the same content URL, or are one object.
public protocol ImageDataProvider: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }
    /// Returns the bytes.
    func data() async throws -> Data
    /// Passes the bytes to `handler`, once, on any thread. Releasing the handler without a call fails the
    /// load.
    func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void)
    /// A URL that identifies the content, if there is one.
    var contentURL: URL? { get }
}

extension ImageDataProvider {
    public var contentURL: URL? { nil }

    public func data() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            data { continuation.resume(with: $0) }
        }
    }

    /// Returns a source of this provider.
    public func convertToSource() -> Source { .provider(self) }
}
