import Synchronization

/// The registered responders, held weakly. Safe from any thread.
final class MemoryPressureResponders: Sendable {
    static let shared = MemoryPressureResponders()

    private struct Entry: Sendable {
        weak var responder: (any MemoryPressureResponder)?
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        var pruningCount = 16
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.entries.count) }

    func register(_ responder: any MemoryPressureResponder) {
        state.withLock { state in
            if state.entries.count >= state.pruningCount {
                state.entries.removeAll { $0.responder == nil }
                // Doubling gives an amortised constant cost per registration.
                state.pruningCount = max(16, 2 * state.entries.count)
            }
            state.entries.append(Entry(responder: responder))
        }
    }

    /// Calls responders outside the lock: one may register another, or be released during the call.
    func post(_ level: MemoryPressure) {
        for entry in state.withLock(\.entries) { entry.responder?.relieve(level) }
    }
}
