import Synchronization

/// Does equal work that several ask for at the same time once for all of them (coalescing).
///
/// The first to `join` under a key leads: it does the work, or has it done, and lands it with what came of
/// it. Who joins meanwhile waits. A member stays until it leaves, and as long as one is there later ones
/// are served with the same outcome; so a member that keeps the outcome elsewhere, where others look first,
/// does so before it leaves. When the last member leaves unfinished work, that is abandoned; when the lead
/// is let go of without landing, the members are handed the outcome for that. Safe from any thread; nothing
/// of the members' runs under the lock.
final class SharedWork<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    struct Member: Sendable {
        /// Whether it still wants the outcome; asked on any thread.
        let isWanted: @Sendable () -> Bool
        /// Called once, by whoever lands the work.
        let receive: @Sendable (Outcome) -> Void
    }

    /// What is up to somebody who has joined.
    enum Turn: Sendable {
        /// Do the work, and land it.
        case lead(SharedWorkLead<Key, Outcome>)
        /// Wait: `receive` will be called.
        case wait
        /// The work is done, and `receive` will not be called.
        case served(Outcome)
        /// Nobody works on it, and something has come into the cache: look there again.
        case outdated
    }

    typealias Seat = Int

    private struct Entry: Sendable {
        let key: Key
        var flight = Flight<Member, Outcome>()
        var stop: (@Sendable () -> Ending?)?
    }

    private struct State: Sendable {
        var entries: [Int: Entry] = [:]
        /// The flight that later members join.
        var open: [Key: Int] = [:]
        var flightOfSeat: [Seat: Int] = [:]
        var lastNumber = 0

        mutating func next() -> Int {
            lastNumber += 1
            return lastNumber
        }

        mutating func close(_ number: Int) {
            guard let key = entries[number]?.key, open[key] == number else { return }
            open[key] = nil
        }

        mutating func remove(_ number: Int) -> Entry? {
            close(number)
            return entries.removeValue(forKey: number)
        }
    }

    private let state = Mutex(State())
    private let unlanded: Outcome

    /// - Parameter unlanded: What members get when nobody can land their work any more.
    init(unlanded: Outcome) {
        self.unlanded = unlanded
    }

    /// The pieces of work that are under way, or landed and still have members.
    var count: Int { state.withLock(\.entries.count) }

    /// Those who have joined and not left.
    var memberCount: Int { state.withLock(\.flightOfSeat.count) }

    /// Joins the work on `key`, or leads it; give the seat back with `leave`.
    ///
    /// - Parameters:
    ///   - acceptsLanded: false for who wants work that was not done yet when it asked.
    ///   - mark: What had come into the cache where the member looked in vain. Where something has come
    ///     since, no new piece of work is begun.
    func join(
        _ key: Key, _ member: Member, acceptsLanded: Bool = true, since mark: CacheArrivals.Mark? = nil
    ) -> (turn: Turn, seat: Seat) {
        state.withLock { state in
            let seat = state.next()
            if let number = state.open[key], acceptsLanded || state.entries[number]?.flight.outcome == nil {
                state.flightOfSeat[seat] = number
                let outcome = state.entries[number]?.flight.join(member, seat: seat)
                return (outcome.map { .served($0) } ?? .wait, seat)
            }
            // Members leave when the cache has what they made, so one of the two is seen here.
            if let mark, !mark.isCurrent { return (.outdated, seat) }
            let number = state.next()
            var entry = Entry(key: key)
            _ = entry.flight.join(member, seat: seat)
            state.entries[number] = entry
            state.open[key] = number
            state.flightOfSeat[seat] = number
            return (.lead(SharedWorkLead(self, number)), seat)
        }
    }

    /// Gives a seat up; without members, the work, too. Returns the end of what is stopped, if that takes
    /// time.
    @discardableResult
    func leave(_ seat: Seat) -> Ending? {
        let (member, abandoned) = state.withLock { state -> (Member?, Entry?) in
            guard let number = state.flightOfSeat.removeValue(forKey: seat) else { return (nil, nil) }
            let member = state.entries[number]?.flight.leave(seat)
            return (member, state.entries[number]?.flight.isEmpty == true ? state.remove(number) : nil)
        }
        // Released outside the lock.
        return withExtendedLifetime(member) {
            if let abandoned, abandoned.flight.outcome == nil { abandoned.stop?() } else { nil }
        }
    }

    fileprivate func isWanted(_ number: Int) -> Bool {
        var lastAsked = Int.min
        while true {
            let members = state.withLock { state in
                let members = state.entries[number]?.flight.waiting(after: lastAsked) ?? []
                if members.isEmpty { state.close(number) }
                return members
            }
            guard let last = members.last else { return false }
            if members.contains(where: { $0.member.isWanted() }) { return true }
            lastAsked = last.seat
        }
    }

    fileprivate func setStop(_ number: Int, _ stop: @escaping @Sendable () -> Ending?) {
        let isAbandoned = state.withLock { state in
            state.entries[number]?.stop = stop
            return state.entries[number] == nil
        }
        if isAbandoned { _ = stop() }
    }

    fileprivate func land(_ number: Int, _ outcome: Outcome, isKept: Bool) {
        let (waiting, entry) = state.withLock { state -> ([Member], Entry?) in
            guard let entry = state.entries[number], entry.flight.outcome == nil else { return ([], nil) }
            let waiting = state.entries[number]?.flight.land(outcome) ?? []
            state.entries[number]?.stop = nil
            if !isKept { _ = state.remove(number) }
            return (waiting, entry)
        }
        withExtendedLifetime(entry) {
            for member in waiting { member.receive(outcome) }
        }
    }

    /// Ends work that nobody can land any more, unless it has landed.
    fileprivate func drop(_ number: Int) {
        land(number, unlanded, isKept: false)
    }
}

/// The duty to land a piece of shared work, once; letting go of it lands what the work has for that.
final class SharedWorkLead<Key: Hashable & Sendable, Outcome: Sendable>: Sendable {
    private let work: SharedWork<Key, Outcome>
    private let number: Int

    fileprivate init(_ work: SharedWork<Key, Outcome>, _ number: Int) {
        self.work = work
        self.number = number
    }

    deinit { work.drop(number) }

    /// Whether a member still wants the outcome. Once none does, nobody joins any more: who comes later leads
    /// anew and is not handed what became of work that was given up.
    var isWanted: Bool { work.isWanted(number) }

    /// Has `stop` called when the last member leaves before the end; at once where that has happened.
    func whenAbandoned(_ stop: @escaping @Sendable () -> Ending?) {
        work.setStop(number, stop)
    }

    /// Hands `outcome` to every member, on this thread. Only what `isKept` is served to later ones as well.
    func land(_ outcome: Outcome, isKept: Bool = true) {
        work.land(number, outcome, isKept: isKept)
    }
}
