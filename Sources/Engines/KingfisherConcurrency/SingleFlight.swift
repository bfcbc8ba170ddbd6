public import Synchronization

/// Deduplicates concurrent work: callers with equal keys share one operation and its outcome.
///
/// The first caller that joins a key is the leader: it starts the work and completes it with an outcome.
/// Callers that join in the meantime wait for that outcome. Each caller is subscribed until it leaves. While
/// one is subscribed, later callers get the same outcome; a caller that caches the outcome therefore does so
/// before it leaves.
///
/// If the last caller leaves before completion, the work is stopped. If the leader is released without
/// completing, the callers get the outcome for abandoned work.
///
/// Safe from any thread. No closure of a caller runs under the lock.
@usableFromInline
package final class SingleFlight<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    @usableFromInline
    package struct Waiter: Sendable {
        @usableFromInline let isWanted: @Sendable () -> Bool
        @usableFromInline let receive: @Sendable (Outcome) -> Void

        /// - Parameters:
        ///   - isWanted: Whether the caller still needs the outcome. Called on any thread.
        ///   - receive: Called once with the outcome, on the leader's thread.
        @inlinable
        package init(
            isWanted: @escaping @Sendable () -> Bool = { true },
            receive: @escaping @Sendable (Outcome) -> Void
        ) {
            self.isWanted = isWanted
            self.receive = receive
        }
    }

    /// What the caller does next: a leader does the work and completes it, a waiter waits for `receive`.
    ///
    /// With the other roles `receive` is not called. `outdated` means that no work is in progress and there
    /// was a change since the mark, so the caller reads the cache again.
    @usableFromInline
    package enum Role: Sendable {
        case leader(Leader)
        case waiter
        case completed(Outcome)
        case outdated
    }

    /// The participation of one caller in an operation. Pass it to `leave` once.
    @usableFromInline
    package struct Subscription: Sendable {
        @usableFromInline let operation: Operation?
        @usableFromInline let number: Int

        @inlinable
        init(_ operation: Operation?, _ number: Int = 0) {
            (self.operation, self.number) = (operation, number)
        }
    }

    /// How long later callers get the outcome: not at all, while a caller is subscribed, or while the
    /// `SingleFlight` exists.
    @usableFromInline
    package enum Retention: Sendable {
        case none
        case whileJoined
        case always
    }

    /// The work for one key.
    ///
    /// `waiters` are in the order of joining, nil for those that have left, and empty after completion.
    /// Unchecked: the lock of the `SingleFlight` guards all properties, so that the runtime need not check
    /// exclusive access.
    @usableFromInline
    package final class Operation: @unchecked Sendable {
        @usableFromInline let key: Key
        @exclusivity(unchecked) @usableFromInline var waiters: [Waiter?]
        @exclusivity(unchecked) @usableFromInline var callers = 1
        @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
        @exclusivity(unchecked) @usableFromInline var retention = Retention.none
        @exclusivity(unchecked) @usableFromInline var isInProgress = true
        @exclusivity(unchecked) @usableFromInline var stop: (@Sendable () -> Latch?)?

        @inlinable
        init(_ key: Key, _ leader: Waiter) { (self.key, waiters) = (key, [leader]) }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var joinable: [Key: Operation] = [:]
        @usableFromInline var count = 0
        @usableFromInline var callers = 0

        @inlinable
        init() {}

        @inlinable
        mutating func close(_ operation: Operation) {
            if let index = joinable.index(forKey: operation.key), joinable.values[index] === operation {
                joinable.remove(at: index)
            }
        }
    }

    @usableFromInline let state = Mutex(State())
    @usableFromInline let abandoned: Outcome

    @inlinable
    package init(abandoned: Outcome) {
        self.abandoned = abandoned
    }

    /// The number of operations in progress, or completed and retained.
    @inlinable
    package var count: Int { state.withLock(\.count) }

    @inlinable
    package var callerCount: Int { state.withLock(\.callers) }

    /// Subscribes to the work for `key`, as leader of new work if necessary. End the subscription with
    /// `leave`.
    ///
    /// - Parameters:
    ///   - acceptsCompleted: False if the outcome of completed work must not be used.
    ///   - mark: Taken before the caller looked in the cache. If it is outdated, no new work is started.
    @inlinable
    package func join(
        _ key: Key, _ waiter: Waiter, acceptsCompleted: Bool = true, since mark: ChangeCounter.Mark? = nil
    ) -> (role: Role, subscription: Subscription) {
        state.withLock { state in
            if let operation = state.joinable[key], acceptsCompleted || operation.outcome == nil {
                if operation.retention != .always {
                    operation.callers += 1
                    state.callers += 1
                }
                if let outcome = operation.outcome { return (.completed(outcome), Subscription(operation)) }
                operation.waiters.append(waiter)
                return (.waiter, Subscription(operation, operation.waiters.count - 1))
            }
            // Callers leave after they have cached the outcome, so it is found in the cache or in `joinable`.
            if let mark, !mark.isCurrent { return (.outdated, Subscription(nil)) }
            let operation = Operation(key, waiter)
            state.joinable[key] = operation
            state.count += 1
            state.callers += 1
            return (.leader(Leader(of: self, operation)), Subscription(operation))
        }
    }

    /// Joins without leaving. `completion` gets the outcome; on this thread if the work is completed already.
    ///
    /// - Parameter work: Called if this caller is the leader. It must complete the work with a retention of
    ///   `none` or `always`.
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

    /// Ends a subscription, and stops the work if it was the last one. Returns a latch that opens when the
    /// work has stopped, or nil if nothing has to stop.
    @inlinable
    @discardableResult
    package func leave(_ subscription: Subscription) -> Latch? {
        guard let operation = subscription.operation else { return nil }
        let (waiter, stop) = state.withLock { state -> (Waiter?, (@Sendable () -> Latch?)?) in
            guard operation.callers > 0 else { return (nil, nil) }
            operation.callers -= 1
            state.callers -= 1
            let waiter = operation.isInProgress ? operation.waiters[subscription.number].take() : nil
            guard operation.callers == 0 else { return (waiter, nil) }
            state.close(operation)
            state.count -= 1
            operation.isInProgress = false
            return (waiter, operation.stop.take())
        }
        // The waiter is released outside the lock.
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

    @usableFromInline
    package final class Leader: Sendable {
        @usableFromInline let work: SingleFlight
        @usableFromInline let operation: Operation
        /// Asked before the lock: a deinitializer is not specialized, so generic code in it is slow.
        @usableFromInline let isComplete = Atomic(false)

        @inlinable
        init(of work: SingleFlight, _ operation: Operation) {
            (self.work, self.operation) = (work, operation)
        }

        @inlinable
        deinit {
            guard !isComplete.load(ordering: .relaxed) else { return }
            work.complete(operation, work.abandoned, keeping: .none)
        }

        /// Whether a caller still needs the outcome. Once this is false, later callers start new work instead
        /// of joining this.
        @inlinable
        package var isWanted: Bool { work.isWanted(operation) }

        /// Calls `stop` when the last caller leaves before completion; immediately if it has left already.
        @inlinable
        package func whenAbandoned(_ stop: @escaping @Sendable () -> Latch?) { work.setStop(operation, stop) }

        @inlinable
        package func complete(_ outcome: Outcome, keeping retention: Retention = .whileJoined) {
            isComplete.store(true, ordering: .relaxed)
            work.complete(operation, outcome, keeping: retention)
        }
    }
}
