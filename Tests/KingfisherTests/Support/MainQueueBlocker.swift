import Dispatch
import TestHelpers

/// Blocks the main queue until `end()`, at most fifteen seconds.
///
/// Use it only in an exit test: it would delay all other tests of the process.
struct MainQueueBlocker: Sendable {
    /// Receives whether `end()` was called before the time limit; empty while the queue is blocked.
    let wasReleased = Inbox<Bool>()
    private let latch = Latch()

    /// Returns when the main queue is blocked.
    init() async throws {
        let blocked = Inbox<Void>()
        DispatchQueue.main.async { [wasReleased, latch] in
            blocked.put()
            wasReleased.put(latch.wait(upTo: 15))
        }
        _ = try await blocked.first(1)
    }

    var isHolding: Bool { wasReleased.count == 0 }

    func end() { latch.open() }
}
