import Foundation
import KingfisherGTK
import Synchronization

/// The numbers of the photos whose thumbnails were requested.
final class RequestLog: Sendable {
    private let state = Mutex(Set<Int>())

    var numbers: Set<Int> { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { _ = $0.insert(number) } }
}

/// Notes each request of a thumbnail.
struct CountedProvider: ImageDataProvider {
    private let provider: DesktopThumbnailProvider
    private let log: RequestLog

    init(_ provider: DesktopThumbnailProvider, log: RequestLog) {
        (self.provider, self.log) = (provider, log)
    }

    var cacheKey: String { provider.cacheKey }

    func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        if let number = Int(provider.fileURL.deletingPathExtension().lastPathComponent) { log.add(number) }
        provider.data(handler: handler)
    }
}
