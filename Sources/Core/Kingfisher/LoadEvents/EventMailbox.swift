import Synchronization

/// Passes the events of a load from the threads of the load to its consumer. Safe from any thread.
final class EventMailbox: Sendable {
    typealias Taken = PendingEvents.Taken
    private typealias Waiter = CheckedContinuation<Taken, Never>

    private struct State {
        var pending = PendingEvents()
        /// More than one only if copies of an iterator wait at the same time.
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    var acceptsEvents: Bool { state.withLock(\.pending.acceptsEvents) }

    func put(_ event: ImageLoadingEvent) { change { $0.add(event) } }

    /// - Parameter round: Numbers the transfers of the load.
    func putProgress(received: Int64, total: Int64, round: Int) {
        change { $0.addProgress(received: received, total: total, round: round) }
    }

    func finish(with end: PendingEvents.End) { change { $0.end(with: end) } }

    func drop() { change { $0.drop() } }

    func next() async -> Taken {
        await withCheckedContinuation { waiter in
            let taken = state.withLock { state in
                // Waiters that came earlier are served first.
                let taken = state.waiters.isEmpty ? state.pending.take() : nil
                if taken == nil { state.waiters.append(waiter) }
                return taken
            }
            if let taken { waiter.resume(returning: taken) }
        }
    }

    /// - Parameter change: Returns the events that are dropped, which are released outside the lock.
    private func change(_ change: (inout PendingEvents) -> [ImageLoadingEvent]) {
        let (dropped, served) = state.withLock { state in
            let dropped = change(&state.pending)
            var served: [(Waiter, Taken)] = []
            while let waiter = state.waiters.first, let taken = state.pending.take() {
                state.waiters.removeFirst()
                served.append((waiter, taken))
            }
            return (dropped, served)
        }
        for (waiter, taken) in served { waiter.resume(returning: taken) }
        withExtendedLifetime(dropped) {}
    }
}
