public import Foundation

/// Supplies an image's bytes from somewhere that is not a download.
///
/// Implement either `data()` or `data(handler:)`; each has a default that calls the other. A task that is
/// cancelled sees `Task.isCancelled` in `data()`, and its completion comes when that has returned or thrown;
/// the result of a cancelled callback is dropped, and its completion comes at once.
///
/// Requests that run at the same time share one run of providers of one type with the same key and content
/// URL; the run is cancelled with the last of them. A provider whose key does not say which bytes it supplies
/// can be `Hashable`: it then shares with equal ones only. With `forceRefresh` those share that are equal, or
/// have the same content URL, or are one object.
public protocol ImageDataProvider: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }
    /// Supplies the bytes, or throws.
    func data() async throws -> Data
    /// Supplies the bytes to `handler`, once, on any thread. Letting go of it uncalled fails the load.
    func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void)
    /// A URL that tells the content apart, if it has one.
    var contentURL: URL? { get }
}

extension ImageDataProvider {
    public var contentURL: URL? { nil }

    public func data() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            data { continuation.resume(with: $0) }
        }
    }

    /// A source over this provider.
    public func convertToSource() -> Source { .provider(self) }
}
