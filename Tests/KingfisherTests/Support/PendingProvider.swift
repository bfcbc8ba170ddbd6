import Foundation
import Kingfisher
import Synchronization
import TestHelpers

/// Stores its handlers without calling them. Releasing a handler ends the load.
final class PendingProvider: ImageDataProvider {
    let cacheKey = "silent"
    let asked = Inbox<Void>()
    private let handlers = Mutex<[@Sendable (Result<Data, any Error>) -> Void]>([])

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        handlers.withLock { $0.append(handler) }
        asked.put(())
    }
    /// Fails the requests so far.
    func fail() {
        for handler in handlers.withLock({ $0 }) { handler(.failure(CocoaError(.fileReadUnknown))) }
    }
}

/// Fails each load.
struct UnreadableProvider: ImageDataProvider {
    let cacheKey = "unreadable"

    func data() async throws -> Data { throw CocoaError(.fileReadNoSuchFile) }
}
