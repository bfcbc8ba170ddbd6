public import Synchronization

/// Does equal work that several callers ask for at the same time once for all of them.
///
/// The first caller to `join` under a key is the leader: it does the work, or starts it, and completes it
/// with an outcome. Callers that join meanwhile wait for that. A caller keeps its place until it leaves, and
/// as long as one place is kept, later callers get the same outcome; so a caller that puts the outcome where
/// others look first does that before it leaves. When the last caller leaves unfinished work, the work is
/// stopped; when the leader is released without completing, the callers get the outcome for abandoned work.
/// Safe from any thread. No code of callers runs under the lock.
@usableFromInline
package final class SingleFlight<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    @usableFromInline
    package struct Waiter: Sendable {
        @usableFromInline let isWanted: @Sendable () -> Bool
        @usableFromInline let receive: @Sendable (Outcome) -> Void

        /// - Parameters:
        ///   - isWanted: Whether the caller still wants the outcome; asked on any thread.
        ///   - receive: Gets the outcome, once, on the thread of the leader.
        @inlinable
        package init(
            isWanted: @escaping @Sendable () -> Bool = { true },
            receive: @escaping @Sendable (Outcome) -> Void
        ) {
            self.isWanted = isWanted
            self.receive = receive
        }
    }

    /// What a caller has to do after joining.
    @usableFromInline
    package enum Role: Sendable {
        /// Do the work and complete it.
        case leader(Leader)
        /// Wait for `receive`.
        case waiter
        /// Nothing: the work is done, and `receive` is not called.
        case completed(Outcome)
        /// Look again: there is no work to join, and something has changed since the mark.
        case outdated
    }

    /// The place of a caller, to be given back by `leave`, once.
    @usableFromInline
    package struct Place: Sendable {
        @usableFromInline let operation: Operation?
        @usableFromInline let number: Int

        @inlinable
        init(_ operation: Operation?, _ number: Int = 0) { (self.operation, self.number) = (operation, number) }
    }

    /// How long later callers get an outcome.
    @usableFromInline
    package enum Retention: Sendable {
        /// Not at all: the next caller leads again.
        case none
        /// As long as a caller keeps its place.
        case whileJoined
        /// As long as this object exists.
        case always
    }

    /// One piece of work. All of it is guarded by the lock of its `SingleFlight`, so that the runtime need
    /// not check accesses.
    @usableFromInline
    package final class Operation: @unchecked Sendable {
        @usableFromInline let key: Key
        /// In the order in which they came; nil for those that have left. Empty when there is an outcome.
        @exclusivity(unchecked) @usableFromInline var waiters: [Waiter?]
        /// The callers that have joined and not left.
        @exclusivity(unchecked) @usableFromInline var callers = 1
        @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
        @exclusivity(unchecked) @usableFromInline var retention = Retention.none
        /// Whether it is neither completed nor abandoned.
        @exclusivity(unchecked) @usableFromInline var isInProgress = true
        @exclusivity(unchecked) @usableFromInline var stop: (@Sendable () -> Latch?)?

        @inlinable
        init(_ key: Key, _ leader: Waiter) { (self.key, waiters) = (key, [leader]) }
    }

    @usableFromInline struct State: Sendable {
        /// The flights that later callers join.
        @usableFromInline var open: [Key: Operation] = [:]
        /// The flights that have callers, or are kept for ever.
        @usableFromInline var count = 0
        @usableFromInline var callers = 0

        @inlinable
        init() {}

        @inlinable
        mutating func close(_ operation: Operation) {
            if let index = open.index(forKey: operation.key), open.values[index] === operation {
                open.remove(at: index)
            }
        }
    }

    @usableFromInline let state = Mutex(State())
    @usableFromInline let abandoned: Outcome

    /// - Parameter abandoned: What callers get when no one can complete their work any more.
    @inlinable
    package init(abandoned: Outcome) {
        self.abandoned = abandoned
    }

    /// The number of flights that are under way, or completed and kept.
    @inlinable
    package var count: Int { state.withLock(\.count) }

    /// The number of callers that have joined and not left.
    @inlinable
    package var callerCount: Int { state.withLock(\.callers) }

    /// Joins the work on `key`, or leads it. Give the place back with `leave`.
    ///
    /// - Parameters:
    ///   - acceptsCompleted: False for a caller that wants work that was not done yet when it asked.
    ///   - mark: The changes when the caller looked for the outcome in vain. If there were others since, no
    ///     new
    ///     work is begun.
    @inlinable
    package func join(
        _ key: Key, _ waiter: Waiter, acceptsCompleted: Bool = true, since mark: ChangeCounter.Mark? = nil
    ) -> (role: Role, place: Place) {
        state.withLock { state in
            if let operation = state.open[key], acceptsCompleted || operation.outcome == nil {
                if operation.retention != .always {
                    operation.callers += 1
                    state.callers += 1
                }
                if let outcome = operation.outcome { return (.completed(outcome), Place(operation)) }
                operation.waiters.append(waiter)
                return (.waiter, Place(operation, operation.waiters.count - 1))
            }
            // Callers leave when the outcome is where others look, so it is seen there or in `open`.
            if let mark, !mark.isCurrent { return (.outdated, Place(nil)) }
            let operation = Operation(key, waiter)
            state.open[key] = operation
            state.count += 1
            state.callers += 1
            return (.leader(Leader(of: self, operation)), Place(operation))
        }
    }

    /// Joins for good: `completion` gets the outcome, on this thread where the work is done already.
    ///
    /// - Parameter work: Called where this caller leads. The work is completed with a retention of `none` or
    ///   `always`.
    @inlinable
    package func run(
        _ key: Key, work: (Leader) -> Void, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        switch join(key, Waiter(receive: completion)).role {
        case .leader(let leader): work(leader)
        case .completed(let outcome): completion(outcome)
        case .waiter, .outdated: break
        }
    }

    /// Gives a place back; stops the work if it was the last one. Returns a latch that opens when the work
    /// has stopped, if that takes time.
    @inlinable
    @discardableResult
    package func leave(_ place: Place) -> Latch? {
        guard let operation = place.operation else { return nil }
        let (waiter, stop) = state.withLock { state -> (Waiter?, (@Sendable () -> Latch?)?) in
            guard operation.callers > 0 else { return (nil, nil) }
            operation.callers -= 1
            state.callers -= 1
            let waiter = operation.isInProgress ? operation.waiters[place.number].take() : nil
            guard operation.callers == 0 else { return (waiter, nil) }
            state.close(operation)
            state.count -= 1
            operation.isInProgress = false
            return (waiter, operation.stop.take())
        }
        // Released outside the lock.
        return withExtendedLifetime(waiter) { stop?() }
    }

    @inlinable
    func isWanted(_ operation: Operation) -> Bool {
        var asked = 0
        while true {
            let waiters = state.withLock { state in
                let waiters = Array(operation.waiters.dropFirst(asked))
                asked = operation.waiters.count
                if waiters.isEmpty || !operation.isInProgress { state.close(operation) }
                return waiters
            }
            if waiters.isEmpty { return false }
            if waiters.contains(where: { $0?.isWanted() ?? false }) { return true }
        }
    }

    @inlinable
    func setStop(_ operation: Operation, _ stop: @escaping @Sendable () -> Latch?) {
        let isAbandoned = state.withLock { _ in
            if operation.isInProgress { operation.stop = stop }
            return operation.callers == 0
        }
        if isAbandoned { _ = stop() }
    }

    @inlinable
    func complete(_ operation: Operation, _ outcome: Outcome, keeping retention: Retention) {
        let old = state.withLock { state -> ([Waiter?], (@Sendable () -> Latch?)?) in
            guard operation.isInProgress else { return ([], nil) }
            operation.isInProgress = false
            operation.retention = retention
            if retention != .whileJoined {
                state.callers -= operation.callers
                operation.callers = 0
            }
            if retention == .none {
                state.close(operation)
                state.count -= 1
            } else {
                operation.outcome = outcome
            }
            defer { operation.waiters = [] }
            return (operation.waiters, operation.stop.take())
        }
        for waiter in old.0 { waiter?.receive(outcome) }
    }

    /// The duty to complete an operation, once.
    @usableFromInline
    package final class Leader: Sendable {
        @usableFromInline let work: SingleFlight
        @usableFromInline let operation: Operation

        @inlinable
        init(of work: SingleFlight, _ operation: Operation) { (self.work, self.operation) = (work, operation) }

        @inlinable
        deinit { work.complete(operation, work.abandoned, keeping: .none) }

        /// Whether a caller still wants the outcome. Once none does, no one joins any more: the next caller
        /// leads again and does not get what became of abandoned work.
        @inlinable
        package var isWanted: Bool { work.isWanted(operation) }

        /// Has `stop` called when the last caller leaves before the end; at once where that has happened.
        @inlinable
        package func whenAbandoned(_ stop: @escaping @Sendable () -> Latch?) { work.setStop(operation, stop) }

        /// Gives the outcome to every caller, on this thread.
        @inlinable
        package func complete(_ outcome: Outcome, keeping retention: Retention = .whileJoined) {
            work.complete(operation, outcome, keeping: retention)
        }
    }
}
