import Foundation
import Kingfisher
import Synchronization

/// Supplies nothing, ever, and keeps its handlers: to let go of one ends a load.
final class SilentProvider: ImageDataProvider {
    let cacheKey = "silent"
    let asked = Inbox<Void>()
    private let handlers = Mutex<[@Sendable (Result<Data, any Error>) -> Void]>([])

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        handlers.withLock { $0.append(handler) }
        asked.put(())
    }
}
