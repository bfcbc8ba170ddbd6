/// Which transfer starts next: by priority, then by arrival, among those whose host has room.
///
/// Decisions only: the caller starts what ``next()`` names, tells when it has ended, and reports transfers
/// that are too slow to ``yieldSlot(_:)``. Everything is O(log n) in the number of waiting transfers and of
/// hosts.
struct TransferOrder {
    typealias ID = UInt64

    /// Higher priorities come first, and of equal ones who came first.
    struct Rank: Comparable {
        let priority: Float
        let arrival: UInt64

        /// A priority beyond 0...1 counts as the nearest within; what is no number, as the middle.
        init(priority: Float, arrival: UInt64) {
            self.priority = priority.isNaN ? 0.5 : min(max(priority, 0), 1)
            self.arrival = arrival
        }

        static func < (one: Self, other: Self) -> Bool {
            one.priority != other.priority
                ? one.priority > other.priority : one.arrival < other.arrival
        }
    }

    /// What becomes of a transfer that is too slow.
    enum Yield {
        /// Nothing waits for its slot.
        case stays
        /// Its slot is free, and it goes on beside the slots.
        case continuesOutside
        /// Its slot is free, and it has to end: too many go on beside the slots already.
        case ends
    }

    private enum Standing {
        case waiting
        case running
        /// Running without a slot.
        case outside
        /// About to end, without a slot.
        case ending
    }

    private struct Place {
        /// Where its line is.
        let line: Int
        var rank: Rank
        var standing = Standing.waiting
    }

    /// What concerns one origin.
    private struct Line {
        let origin: Origin
        var waiting = IndexedHeap<ID, Rank>()
        var running = 0
        var outside = 0
        var ending = 0

        /// Whether nothing of the origin has been started that has not ended.
        var isIdle: Bool { running + outside + ending == 0 }
    }

    /// Origins remembered at most, so that a crawl does not fill the memory; what is forgotten is learned
    /// again.
    static let maxKnownOrigins = 1_000

    let limits: QueuedTransport.Limits
    private var places: [ID: Place] = [:]
    /// By number: an origin is hashed once for each transfer. nil for numbers that are free.
    private var lines: [Line?] = []
    private var freeNumbers: [Int] = []
    private var numbers: [Origin: Int] = [:]
    /// Lines that have something waiting and room for it, by the rank of what they would start.
    private var ready = IndexedHeap<Int, Rank>()
    /// Those of them whose origin is idle, which may start one beyond the total.
    private var idle = IndexedHeap<Int, Rank>()
    private var multiplexing: Set<Origin> = []
    private var lastID: ID = 0
    /// How many transfers hold a slot.
    private(set) var running = 0
    /// How many transfers go on without one.
    private(set) var outside = 0
    private var ending = 0

    init(_ limits: QueuedTransport.Limits) {
        self.limits = limits
    }

    /// How many transfers wait.
    var waiting: Int { places.count - running - outside - ending }

    /// Lets a transfer wait for its turn.
    mutating func enqueue(at origin: Origin, _ rank: Rank) -> ID {
        lastID += 1
        let number = number(of: origin)
        places[lastID] = Place(line: number, rank: rank)
        lines[number]?.waiting.set(lastID, to: rank)
        update(number)
        return lastID
    }

    /// Starts a transfer without a wait, where no other could start and there is room for it;
    /// nil where it has to wait.
    mutating func start(at origin: Origin, _ rank: Rank) -> ID? {
        let isBeyondTotal = !hasRoom
        guard isBeyondTotal ? idle.isEmpty && hasReserve : ready.isEmpty else { return nil }
        let number = number(of: origin)
        guard isBeyondTotal ? lines[number]?.isIdle == true : hasRoom(number) else { return nil }
        lastID += 1
        places[lastID] = Place(line: number, rank: rank, standing: .running)
        lines[number]?.running += 1
        running += 1
        return lastID
    }

    /// The transfer to start now, which holds a slot of its host from here on; nil when none may start.
    mutating func next() -> ID? {
        let number = hasRoom ? ready.first?.element : hasReserve ? idle.first?.element : nil
        guard let number, let id = lines[number]?.waiting.first?.element else { return nil }
        lines[number]?.waiting.remove(id)
        lines[number]?.running += 1
        places[id]?.standing = .running
        running += 1
        update(number)
        return id
    }

    /// Whether a transfer's host has as many slow transfers outside the slots as it may.
    func isCrowded(_ id: ID) -> Bool {
        limits.slowOfOneHost > 0
            && places[id].flatMap { lines[$0.line] }.map { $0.outside >= limits.slowOfOneHost } ?? false
    }

    /// Takes the slot of a running transfer that is too slow, if another one waits for it.
    mutating func yieldSlot(_ id: ID) -> Yield {
        guard let place = places[id], case .running = place.standing, let line = lines[place.line],
            isAwaited(place.line, line)
        else { return .stays }
        let fits = line.outside < limits.slowOfOneHost && outside < limits.slowTotal
        places[id]?.standing = fits ? .outside : .ending
        lines[place.line]?.running -= 1
        running -= 1
        if fits {
            lines[place.line]?.outside += 1
            outside += 1
        } else {
            lines[place.line]?.ending += 1
            ending += 1
        }
        update(place.line)
        return fits ? .continuesOutside : .ends
    }

    /// Takes back what a transfer that has ended held.
    ///
    /// - Parameter isMultiplexed: Whether it shared its connection with others, where that is known.
    mutating func finish(_ id: ID, isMultiplexed: Bool?) {
        guard let place = places[id] else { return }
        switch place.standing {
        case .waiting: return
        case .running:
            lines[place.line]?.running -= 1
            running -= 1
        case .outside:
            lines[place.line]?.outside -= 1
            outside -= 1
        case .ending:
            lines[place.line]?.ending -= 1
            ending -= 1
        }
        places[id] = nil
        if let isMultiplexed { note(isMultiplexed, place.line) }
        update(place.line)
    }

    private mutating func note(_ isMultiplexed: Bool, _ number: Int) {
        guard isMultiplexed || !multiplexing.isEmpty, let origin = lines[number]?.origin else { return }
        if isMultiplexed {
            if multiplexing.count >= Self.maxKnownOrigins { multiplexing.removeAll() }
            multiplexing.insert(origin)
        } else {
            multiplexing.remove(origin)
        }
    }

    /// Takes a transfer out; `false` when it does not wait (any more).
    mutating func withdraw(_ id: ID) -> Bool {
        guard let place = places[id], case .waiting = place.standing else { return false }
        places[id] = nil
        lines[place.line]?.waiting.remove(id)
        update(place.line)
        return true
    }

    /// Moves a waiting transfer to where another priority puts it; its arrival still counts among equals.
    mutating func reprioritise(_ id: ID, to priority: Float) {
        guard let place = places[id], case .waiting = place.standing else { return }
        let rank = Rank(priority: priority, arrival: place.rank.arrival)
        places[id]?.rank = rank
        lines[place.line]?.waiting.set(id, to: rank)
        update(place.line)
    }

    private var hasRoom: Bool { running < max(1, limits.total) }

    /// Whether one more may start beyond the total, for an origin that is idle.
    private var hasReserve: Bool { running < max(1, limits.total) + max(0, limits.reserve) }

    /// Whether an origin may have one more.
    private func hasRoom(_ number: Int) -> Bool {
        guard let running = lines[number]?.running else { return false }
        return running < max(1, isMultiplexing(number) ? limits.perMultiplexedHost : limits.perHost)
    }

    /// Whether a transfer waits for nothing but a slot that this line gives back.
    private func isAwaited(_ number: Int, _ line: Line) -> Bool {
        if !line.waiting.isEmpty, !hasRoom(number) { return true }
        return !hasRoom && !ready.isEmpty
    }

    private func isMultiplexing(_ number: Int) -> Bool {
        !multiplexing.isEmpty && lines[number].map { multiplexing.contains($0.origin) } == true
    }

    private mutating func number(of origin: Origin) -> Int {
        if let number = numbers[origin] { return number }
        let number = freeNumbers.popLast() ?? lines.count
        if number == lines.count { lines.append(nil) }
        lines[number] = Line(origin: origin)
        numbers[origin] = number
        return number
    }

    /// Puts a line among those that may start something, or takes it out, after it has changed;
    /// one that is empty is given up.
    private mutating func update(_ number: Int) {
        guard let isIdle = lines[number]?.isIdle, let first = lines[number]?.waiting.first else {
            ready.remove(number)
            idle.remove(number)
            if lines[number]?.isIdle == true { giveUp(number) }
            return
        }
        if hasRoom(number) {
            ready.set(number, to: first.rank)
        } else {
            ready.remove(number)
        }
        if isIdle {
            idle.set(number, to: first.rank)
        } else {
            idle.remove(number)
        }
    }

    private mutating func giveUp(_ number: Int) {
        guard let origin = lines[number].take()?.origin else { return }
        numbers[origin] = nil
        freeNumbers.append(number)
    }
}
