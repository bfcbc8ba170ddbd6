import Dispatch
public import Foundation
import KingfisherImage
import KingfisherStorage

/// An image in a file.
public struct LocalFileImageDataProvider: ImageDataProvider {
    /// The file.
    public let fileURL: URL
    public var cacheKey: String
    private let loadingQueue: ExecutionQueue
    /// Whether it was created from a resource, which may have any URL, not by a program that specified a
    /// file.
    let isFromResource: Bool

    /// Creates a provider that reads `fileURL` on `loadingQueue`. The key defaults to one derived from the
    /// path.
    ///
    /// With `.mainCurrentOrAsync` on the main thread, `data(handler:)` reads the file synchronously.
    public init(
        fileURL: URL, cacheKey: String? = nil,
        loadingQueue: ExecutionQueue = .dispatch(DispatchQueue.global(qos: .userInitiated))
    ) {
        self.init(fileURL, cacheKey ?? fileURL.localFileCacheKey, loadingQueue, isFromResource: false)
    }

    init(resource fileURL: URL, cacheKey: String) {
        self.init(
            fileURL, cacheKey, .dispatch(DispatchQueue.global(qos: .userInitiated)), isFromResource: true)
    }

    private init(_ fileURL: URL, _ cacheKey: String, _ loadingQueue: ExecutionQueue, isFromResource: Bool) {
        self.fileURL = fileURL
        self.cacheKey = cacheKey
        self.loadingQueue = loadingQueue
        self.isFromResource = isFromResource
    }

    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        loadingQueue.execute { [fileURL] in
            let mapped = LocalFilePath(fileURL)?.withCString { FileMapping.contents(ofFile: $0) }
            handler(Result { try mapped?.keptSafely ?? Data(contentsOf: fileURL) })
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

extension Data {
    /// A mapped file, or a copy of it if images retain its bytes (animations, some formats): programs may
    /// change files in place.
    var keptSafely: Data {
        // Without a codec or a header, there is no image.
        guard let file = try? ImageCodecs.open(self) else { return self }
        let isRetained = file.codec.keepsFileBytes || file.header.frameCount > 1
        return isRetained ? withUnsafeBytes { Data($0) } : self
    }
}
