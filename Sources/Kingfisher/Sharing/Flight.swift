/// Who shares one piece of work, and what came of it.
///
/// A pure state machine. Members join while the work is under way and, once it has landed, until the last of
/// them has left. Each is handed the outcome once: by `land`, or by `join` after that.
struct Flight<Member: Sendable, Outcome: Sendable>: Sendable {
    private var waitingBySeat: [Int: Member] = [:]
    /// Those who know the outcome. Only their number counts, so that they are not kept alive.
    private var served: Set<Int> = []
    private(set) var outcome: Outcome?

    var isEmpty: Bool { waitingBySeat.isEmpty && served.isEmpty }

    /// Those who wait, in the order they came.
    var waiting: [Member] { waiting(after: .min).map(\.member) }

    /// Those who wait and came after `seat`, in that order.
    func waiting(after seat: Int) -> [(seat: Int, member: Member)] {
        waitingBySeat.filter { $0.key > seat }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Adds a member; the outcome where the work is done, nil where the member waits for it.
    mutating func join(_ member: Member, seat: Int) -> Outcome? {
        if outcome == nil { waitingBySeat[seat] = member } else { served.insert(seat) }
        return outcome
    }

    /// Takes a member out; one that waited is to be released by the caller.
    mutating func leave(_ seat: Int) -> Member? {
        served.remove(seat)
        return waitingBySeat.removeValue(forKey: seat)
    }

    /// Ends the work, once; returns who is to be told.
    mutating func land(_ outcome: Outcome) -> [Member] {
        guard self.outcome == nil else { return [] }
        defer {
            self.outcome = outcome
            served.formUnion(waitingBySeat.keys)
            waitingBySeat = [:]
        }
        return waiting
    }
}
