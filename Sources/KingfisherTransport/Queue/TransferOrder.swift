/// Which transfer starts next: by priority, then by arrival, among those whose host has room.
///
/// Decisions only: the caller starts what ``next()`` names and tells when it has ended. Everything is O(log
/// n) in the number of waiting transfers and of hosts.
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

    private struct Place {
        /// Where its line stands.
        let line: Int
        var rank: Rank
        var isRunning = false
    }

    /// What concerns one origin.
    private struct Line {
        let origin: Origin
        var waiting = IndexedHeap<ID, Rank>()
        var running = 0
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
    private var multiplexing: Set<Origin> = []
    private var lastID: ID = 0
    /// How many transfers have started and not ended.
    private(set) var running = 0

    init(_ limits: QueuedTransport.Limits) {
        self.limits = limits
    }

    /// How many transfers wait.
    var waiting: Int { places.count - running }

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
        guard ready.isEmpty, hasRoom else { return nil }
        let number = number(of: origin)
        guard hasRoom(number) else { return nil }
        lastID += 1
        places[lastID] = Place(line: number, rank: rank, isRunning: true)
        lines[number]?.running += 1
        running += 1
        return lastID
    }

    /// The transfer to start now, which holds a place of its host from here on; nil when none may start.
    mutating func next() -> ID? {
        guard hasRoom, let number = ready.first?.element, let id = lines[number]?.waiting.first?.element
        else { return nil }
        lines[number]?.waiting.remove(id)
        lines[number]?.running += 1
        places[id]?.isRunning = true
        running += 1
        update(number)
        return id
    }

    /// Takes back the place of a transfer that has ended.
    ///
    /// - Parameter isMultiplexed: Whether it shared its connection with others, where that is known.
    mutating func finish(_ id: ID, isMultiplexed: Bool?) {
        guard let place = places[id], place.isRunning else { return }
        places[id] = nil
        lines[place.line]?.running -= 1
        running -= 1
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
        guard let place = places[id], !place.isRunning else { return false }
        places[id] = nil
        lines[place.line]?.waiting.remove(id)
        update(place.line)
        return true
    }

    /// Moves a waiting transfer to where another priority puts it; its arrival still counts among equals.
    mutating func reprioritise(_ id: ID, to priority: Float) {
        guard let place = places[id], !place.isRunning else { return }
        let rank = Rank(priority: priority, arrival: place.rank.arrival)
        places[id]?.rank = rank
        lines[place.line]?.waiting.set(id, to: rank)
        update(place.line)
    }

    private var hasRoom: Bool { running < max(1, limits.total) }

    /// Whether an origin may have one more.
    private func hasRoom(_ number: Int) -> Bool {
        guard let running = lines[number]?.running else { return false }
        return running < max(1, isMultiplexing(number) ? limits.perMultiplexedHost : limits.perHost)
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
        guard let first = lines[number]?.waiting.first else {
            ready.remove(number)
            if lines[number]?.running == 0 { giveUp(number) }
            return
        }
        if hasRoom(number) {
            ready.set(number, to: first.rank)
        } else {
            ready.remove(number)
        }
    }

    private mutating func giveUp(_ number: Int) {
        guard let origin = lines[number].take()?.origin else { return }
        numbers[origin] = nil
        freeNumbers.append(number)
    }
}
