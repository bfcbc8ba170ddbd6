import Dispatch
public import Foundation

/// A picture in a file.
public struct LocalFileImageDataProvider: ImageDataProvider {
    /// The file.
    public let fileURL: URL
    public let cacheKey: String
    private let loadingQueue: ExecutionQueue

    /// Reads `fileURL` on `loadingQueue`; the key defaults to one made from the path.
    ///
    /// With `.mainCurrentOrAsync` on the main thread the file is read before `data(handler:)` returns.
    public init(
        fileURL: URL, cacheKey: String? = nil,
        loadingQueue: ExecutionQueue = .dispatch(DispatchQueue.global(qos: .userInitiated))
    ) {
        self.fileURL = fileURL
        self.cacheKey = cacheKey ?? fileURL.localFileCacheKey
        self.loadingQueue = loadingQueue
    }

    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        loadingQueue.execute { [fileURL] in
            handler(Result { try Data(contentsOf: fileURL) })
        }
    }

    /// The file's bytes, read on the loading queue.
    public var data: Data {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                data { continuation.resume(with: $0) }
            }
        }
    }

    public var contentURL: URL? { fileURL }
}
