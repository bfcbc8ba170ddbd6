import Synchronization

/// Who is told about memory pressure, held weakly. Safe from any thread.
final class MemoryPressureResponders: Sendable {
    static let shared = MemoryPressureResponders()

    private struct Entry: Sendable {
        weak var responder: (any MemoryPressureResponder)?
    }

    private struct State: Sendable {
        var entries: [Entry] = []
        /// The number of entries at which the dead among them are looked for next.
        var pruningCount = 16
    }

    private let state = Mutex(State())

    /// The entries, dead ones that were not removed yet included.
    var count: Int { state.withLock(\.entries.count) }

    func register(_ responder: any MemoryPressureResponder) {
        state.withLock { state in
            if state.entries.count >= state.pruningCount {
                state.entries.removeAll { $0.responder == nil }
                // Doubling keeps a registration at constant cost, amortised.
                state.pruningCount = max(16, 2 * state.entries.count)
            }
            state.entries.append(Entry(responder: responder))
        }
    }

    /// Asks outside the lock: a responder may register another, or be the last reference to itself.
    func post(_ level: MemoryPressure) {
        for entry in state.withLock(\.entries) { entry.responder?.relieve(level) }
    }
}
