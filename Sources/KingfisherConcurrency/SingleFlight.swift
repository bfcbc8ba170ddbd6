import Synchronization

/// Does equal work that several callers ask for at the same time once for all of them.
///
/// The first caller to `join` under a key is the leader: it does the work, or starts it, and completes it
/// with an outcome. Callers that join meanwhile wait for that. A caller keeps its place until it leaves, and
/// as long as one place is kept, later callers get the same outcome; so a caller that puts the outcome where
/// others look first does that before it leaves. When the last caller leaves unfinished work, the work is
/// stopped; when the leader is released without completing, the callers get the outcome for abandoned work.
/// Safe from any thread. No code of callers runs under the lock.
package final class SingleFlight<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    package struct Waiter: Sendable {
        fileprivate let isWanted: @Sendable () -> Bool
        fileprivate let receive: @Sendable (Outcome) -> Void

        /// - Parameters:
        ///   - isWanted: Whether the caller still wants the outcome; asked on any thread.
        ///   - receive: Gets the outcome, once, on the thread of the leader.
        package init(
            isWanted: @escaping @Sendable () -> Bool = { true },
            receive: @escaping @Sendable (Outcome) -> Void
        ) {
            self.isWanted = isWanted
            self.receive = receive
        }
    }

    /// What a caller has to do after joining.
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

    /// The place of a caller, to be given back by `leave`.
    package struct Place: Hashable, Sendable {
        fileprivate let flight: Int
        fileprivate let number: Int
    }

    /// How long later callers get an outcome.
    package enum Retention: Sendable {
        /// Not at all: the next caller leads again.
        case none
        /// As long as a caller keeps its place.
        case whileJoined
        /// As long as this object exists.
        case always
    }

    private struct Flight: Sendable {
        let key: Key
        /// Nil for a caller that has the outcome: it is not kept alive.
        var waiters: [Int: Waiter?] = [:]
        var outcome: Outcome?
        var isPermanent = false
        var stop: (@Sendable () -> Latch?)?

        /// The callers that wait and joined after the one with `number`, in order.
        func waiting(after number: Int = .min) -> [(number: Int, waiter: Waiter)] {
            waiters.compactMap { place, waiter in
                waiter.flatMap { place > number ? (number: place, waiter: $0) : nil }
            }.sorted { $0.number < $1.number }
        }
    }

    private struct State: Sendable {
        var flights: [Int: Flight] = [:]
        /// The flight that later callers join.
        var open: [Key: Int] = [:]
        var lastNumber = 0

        mutating func next() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func close(_ number: Int) {
            guard let key = flights[number]?.key, open[key] == number else { return }
            open[key] = nil
        }

        mutating func remove(_ number: Int) -> Flight? {
            close(number)
            return flights.removeValue(forKey: number)
        }
    }

    private let state = Mutex(State())
    private let abandoned: Outcome

    /// - Parameter abandoned: What callers get when no one can complete their work any more.
    package init(abandoned: Outcome) {
        self.abandoned = abandoned
    }

    /// The number of flights that are under way, or completed and kept.
    package var count: Int { state.withLock(\.flights.count) }

    /// The number of callers that have joined and not left.
    package var callerCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Joins the work on `key`, or leads it. Give the place back with `leave`.
    ///
    /// - Parameters:
    ///   - acceptsCompleted: False for a caller that wants work that was not done yet when it asked.
    ///   - mark: The changes when the caller looked for the outcome in vain. If there were others since, no
    ///     new
    ///     work is begun.
    package func join(
        _ key: Key, _ waiter: Waiter, acceptsCompleted: Bool = true, since mark: ChangeCounter.Mark? = nil
    ) -> (role: Role, place: Place) {
        state.withLock { state in
            let number = state.next()
            if let running = state.open[key], let flight = state.flights[running],
                acceptsCompleted || flight.outcome == nil
            {
                if !flight.isPermanent {
                    state.flights[running]?.waiters[number] = .some(flight.outcome == nil ? waiter : nil)
                }
                let place = Place(flight: running, number: number)
                return (flight.outcome.map { .completed($0) } ?? .waiter, place)
            }
            // Callers leave when the outcome is where others look, so it is seen there or in `open`.
            let place = Place(flight: number, number: number)
            if let mark, !mark.isCurrent { return (.outdated, place) }
            state.flights[number] = Flight(key: key, waiters: [number: waiter])
            state.open[key] = number
            return (.leader(Leader(of: self, number)), place)
        }
    }

    /// Joins for good: `completion` gets the outcome, on this thread where the work is done already.
    ///
    /// - Parameter work: Called where this caller leads. The work is completed with a retention of `none` or
    ///   `always`.
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
    @discardableResult
    package func leave(_ place: Place) -> Latch? {
        let (waiter, abandoned) = state.withLock { state -> (Waiter??, Flight?) in
            let waiter = state.flights[place.flight]?.waiters.removeValue(forKey: place.number)
            guard waiter != nil, state.flights[place.flight]?.waiters.isEmpty == true else {
                return (waiter, nil)
            }
            return (waiter, state.remove(place.flight))
        }
        // Released outside the lock.
        return withExtendedLifetime(waiter) {
            if let abandoned, abandoned.outcome == nil { abandoned.stop?() } else { nil }
        }
    }

    private func isWanted(_ number: Int) -> Bool {
        var lastAsked = Int.min
        while true {
            let waiting = state.withLock { state in
                let waiting = state.flights[number]?.waiting(after: lastAsked) ?? []
                if waiting.isEmpty { state.close(number) }
                return waiting
            }
            guard let last = waiting.last else { return false }
            if waiting.contains(where: { $0.waiter.isWanted() }) { return true }
            lastAsked = last.number
        }
    }

    private func setStop(_ number: Int, _ stop: @escaping @Sendable () -> Latch?) {
        let isAbandoned = state.withLock { state in
            state.flights[number]?.stop = stop
            return state.flights[number] == nil
        }
        if isAbandoned { _ = stop() }
    }

    private func complete(_ number: Int, _ outcome: Outcome, keeping retention: Retention) {
        let flight = state.withLock { state -> Flight? in
            guard let flight = state.flights[number], flight.outcome == nil else { return nil }
            state.flights[number]?.stop = nil
            switch retention {
            case .none: _ = state.remove(number)
            case .whileJoined:
                state.flights[number]?.outcome = outcome
                state.flights[number]?.waiters = flight.waiters.mapValues { _ in nil }
            case .always:
                state.flights[number]?.outcome = outcome
                state.flights[number]?.isPermanent = true
                state.flights[number]?.waiters = [:]
            }
            return flight
        }
        guard let flight else { return }
        for (_, waiter) in flight.waiting() { waiter.receive(outcome) }
    }

    /// The duty to complete a flight, once.
    package final class Leader: Sendable {
        private let flight: SingleFlight
        private let number: Int

        fileprivate init(of flight: SingleFlight, _ number: Int) {
            self.flight = flight
            self.number = number
        }

        deinit { flight.complete(number, flight.abandoned, keeping: .none) }

        /// Whether a caller still wants the outcome. Once none does, no one joins any more: the next caller
        /// leads again and does not get what became of abandoned work.
        package var isWanted: Bool { flight.isWanted(number) }

        /// Has `stop` called when the last caller leaves before the end; at once where that has happened.
        package func whenAbandoned(_ stop: @escaping @Sendable () -> Latch?) { flight.setStop(number, stop) }

        /// Gives the outcome to every caller, on this thread.
        package func complete(_ outcome: Outcome, keeping retention: Retention = .whileJoined) {
            flight.complete(number, outcome, keeping: retention)
        }
    }
}
