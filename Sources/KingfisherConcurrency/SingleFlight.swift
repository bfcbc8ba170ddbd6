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
        @usableFromInline let flight: Flight?
        @usableFromInline let number: Int

        @inlinable
        init(_ flight: Flight?, _ number: Int = 0) { (self.flight, self.number) = (flight, number) }
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
    package final class Flight: @unchecked Sendable {
        @usableFromInline let key: Key
        /// In the order in which they came; nil for those that have left. Empty when there is an outcome.
        @exclusivity(unchecked) @usableFromInline var waiters: [Waiter?]
        /// The callers that have joined and not left.
        @exclusivity(unchecked) @usableFromInline var callers = 1
        @exclusivity(unchecked) @usableFromInline var outcome: Outcome?
        @exclusivity(unchecked) @usableFromInline var retention = Retention.none
        /// Whether it is neither completed nor abandoned.
        @exclusivity(unchecked) @usableFromInline var isUnderWay = true
        @exclusivity(unchecked) @usableFromInline var stop: (@Sendable () -> Latch?)?

        @inlinable
        init(_ key: Key, _ leader: Waiter) { (self.key, waiters) = (key, [leader]) }
    }

    @usableFromInline struct State: Sendable {
        /// The flights that later callers join.
        @usableFromInline var open: [Key: Flight] = [:]
        /// The flights that have callers, or are kept for ever.
        @usableFromInline var count = 0
        @usableFromInline var callers = 0

        @inlinable
        init() {}

        @inlinable
        mutating func close(_ flight: Flight) {
            if let index = open.index(forKey: flight.key), open.values[index] === flight {
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
            if let flight = state.open[key], acceptsCompleted || flight.outcome == nil {
                if flight.retention != .always {
                    flight.callers += 1
                    state.callers += 1
                }
                if let outcome = flight.outcome { return (.completed(outcome), Place(flight)) }
                flight.waiters.append(waiter)
                return (.waiter, Place(flight, flight.waiters.count - 1))
            }
            // Callers leave when the outcome is where others look, so it is seen there or in `open`.
            if let mark, !mark.isCurrent { return (.outdated, Place(nil)) }
            let flight = Flight(key, waiter)
            state.open[key] = flight
            state.count += 1
            state.callers += 1
            return (.leader(Leader(of: self, flight)), Place(flight))
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
        guard let flight = place.flight else { return nil }
        let (waiter, stop) = state.withLock { state -> (Waiter?, (@Sendable () -> Latch?)?) in
            guard flight.callers > 0 else { return (nil, nil) }
            flight.callers -= 1
            state.callers -= 1
            let waiter = flight.isUnderWay ? flight.waiters[place.number].take() : nil
            guard flight.callers == 0 else { return (waiter, nil) }
            state.close(flight)
            state.count -= 1
            flight.isUnderWay = false
            return (waiter, flight.stop.take())
        }
        // Released outside the lock.
        return withExtendedLifetime(waiter) { stop?() }
    }

    @inlinable
    func isWanted(_ flight: Flight) -> Bool {
        var asked = 0
        while true {
            let waiters = state.withLock { state in
                let waiters = Array(flight.waiters.dropFirst(asked))
                asked = flight.waiters.count
                if waiters.isEmpty || !flight.isUnderWay { state.close(flight) }
                return waiters
            }
            if waiters.isEmpty { return false }
            if waiters.contains(where: { $0?.isWanted() ?? false }) { return true }
        }
    }

    @inlinable
    func setStop(_ flight: Flight, _ stop: @escaping @Sendable () -> Latch?) {
        let isAbandoned = state.withLock { _ in
            if flight.isUnderWay { flight.stop = stop }
            return flight.callers == 0
        }
        if isAbandoned { _ = stop() }
    }

    @inlinable
    func complete(_ flight: Flight, _ outcome: Outcome, keeping retention: Retention) {
        let old = state.withLock { state -> ([Waiter?], (@Sendable () -> Latch?)?) in
            guard flight.isUnderWay else { return ([], nil) }
            flight.isUnderWay = false
            flight.retention = retention
            if retention != .whileJoined {
                state.callers -= flight.callers
                flight.callers = 0
            }
            if retention == .none {
                state.close(flight)
                state.count -= 1
            } else {
                flight.outcome = outcome
            }
            defer { flight.waiters = [] }
            return (flight.waiters, flight.stop.take())
        }
        for waiter in old.0 { waiter?.receive(outcome) }
    }

    /// The duty to complete a flight, once.
    @usableFromInline
    package final class Leader: Sendable {
        @usableFromInline let work: SingleFlight
        @usableFromInline let flight: Flight

        @inlinable
        init(of work: SingleFlight, _ flight: Flight) { (self.work, self.flight) = (work, flight) }

        @inlinable
        deinit { work.complete(flight, work.abandoned, keeping: .none) }

        /// Whether a caller still wants the outcome. Once none does, no one joins any more: the next caller
        /// leads again and does not get what became of abandoned work.
        @inlinable
        package var isWanted: Bool { work.isWanted(flight) }

        /// Has `stop` called when the last caller leaves before the end; at once where that has happened.
        @inlinable
        package func whenAbandoned(_ stop: @escaping @Sendable () -> Latch?) { work.setStop(flight, stop) }

        /// Gives the outcome to every caller, on this thread.
        @inlinable
        package func complete(_ outcome: Outcome, keeping retention: Retention = .whileJoined) {
            work.complete(flight, outcome, keeping: retention)
        }
    }
}
