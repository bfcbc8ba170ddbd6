public import Foundation

/// An image as Base64 text.
public struct Base64ImageDataProvider: ImageDataProvider, Hashable {
    /// The text.
    public let base64String: String
    public var cacheKey: String

    /// Supplies the bytes of `base64String` under `cacheKey`.
    public init(base64String: String, cacheKey: String) {
        self.base64String = base64String
        self.cacheKey = cacheKey
    }

    /// Decodes the text and calls `handler` before returning; `CocoaError(.coderInvalidValue)` for broken
    /// text.
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

/// An image's bytes in hand.
public struct RawImageDataProvider: ImageDataProvider, Hashable {
    /// The bytes.
    public let data: Data
    public var cacheKey: String

    /// Supplies `data` under `cacheKey`.
    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Calls `handler` before returning.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}
