import Foundation
import Kingfisher
import Synchronization

/// A timer that the test advances.
final class ManualTimer: DelayTimer {
    private struct Entry: Sendable {
        let deadline: TimeInterval
        let block: @Sendable () -> Void
    }

    private struct State: Sendable {
        var now: TimeInterval = 0
        var entries: [Entry] = []
        var waits: [TimeInterval] = []
    }

    private let state = Mutex(State())

    /// The requested delays, in seconds.
    var waits: [TimeInterval] { state.withLock(\.waits) }

    func after(_ seconds: TimeInterval, _ block: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.waits.append(seconds)
            state.entries.append(Entry(deadline: state.now + seconds, block: block))
        }
    }

    /// Advances the time and runs all due blocks on this thread, in order.
    func advance(by seconds: TimeInterval) {
        let due = state.withLock { state in
            state.now += seconds
            let due = state.entries.filter { $0.deadline <= state.now }
            state.entries.removeAll { $0.deadline <= state.now }
            return due.sorted { $0.deadline < $1.deadline }
        }
        for entry in due { entry.block() }
    }
}
