import Dispatch
public import Foundation

/// An image in a file.
public struct LocalFileImageDataProvider: ImageDataProvider {
    /// The file.
    public let fileURL: URL
    public var cacheKey: String
    private let loadingQueue: ExecutionQueue
    /// Whether it came of a URL that could have been any, and not of a program that meant a file.
    fileprivate let isOfResource: Bool

    /// Reads `fileURL` on `loadingQueue`; the key defaults to one made from the path.
    ///
    /// With `.mainCurrentOrAsync` on the main thread the file is read before `data(handler:)` returns.
    public init(
        fileURL: URL, cacheKey: String? = nil,
        loadingQueue: ExecutionQueue = .dispatch(DispatchQueue.global(qos: .userInitiated))
    ) {
        self.init(fileURL, cacheKey ?? fileURL.localFileCacheKey, loadingQueue, isOfResource: false)
    }

    /// Stands in for a resource with a file URL.
    init(resource fileURL: URL, cacheKey: String) {
        self.init(
            fileURL, cacheKey, .dispatch(DispatchQueue.global(qos: .userInitiated)), isOfResource: true)
    }

    private init(_ fileURL: URL, _ cacheKey: String, _ loadingQueue: ExecutionQueue, isOfResource: Bool) {
        self.fileURL = fileURL
        self.cacheKey = cacheKey
        self.loadingQueue = loadingQueue
        self.isOfResource = isOfResource
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

extension Source {
    /// Where the source is loaded from: a file URL is one like any other where files are not read.
    func loaded(readingFileURLs readsFileURLs: Bool) -> Source {
        guard !readsFileURLs, case .provider(let provider) = self,
            let file = provider as? LocalFileImageDataProvider, file.isOfResource
        else { return self }
        return .network(KF.ImageResource(downloadURL: file.fileURL, cacheKey: file.cacheKey))
    }
}
