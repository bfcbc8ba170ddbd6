public import Foundation

/// An image as Base64 text.
public struct Base64ImageDataProvider: ImageDataProvider, Hashable {
    /// The Base64 text.
    public let base64String: String
    public var cacheKey: String

    /// Creates a provider of `base64String` with `cacheKey`.
    public init(base64String: String, cacheKey: String) {
        self.base64String = base64String
        self.cacheKey = cacheKey
    }

    /// Decodes the text and calls `handler` synchronously. Fails with `CocoaError(.coderInvalidValue)` if the
    /// text is malformed.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        handler(
            Result {
                guard let data = Data(base64Encoded: base64String, options: .ignoreUnknownCharacters) else {
                    throw CocoaError(.coderInvalidValue)
                }
                return data
            })
    }
}

/// The bytes of an image in memory.
public struct RawImageDataProvider: ImageDataProvider, Hashable {
    /// The bytes.
    public let data: Data
    public var cacheKey: String

    /// Creates a provider of `data` with `cacheKey`.
    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Calls `handler` synchronously.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}
