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
        let origin: Origin
        var rank: Rank
        var isRunning = false
    }

    private struct Line {
        var waiting = IndexedHeap<ID, Rank>()
        var running = 0
    }

    /// Origins remembered at most, so that a crawl does not fill the memory; what is forgotten is learned
    /// again.
    static let maxKnownOrigins = 1_000

    let limits: QueuedTransport.Limits
    private var places: [ID: Place] = [:]
    private var lines: [Origin: Line] = [:]
    /// Origins that have something waiting and room for it, by the rank of what they would start.
    private var ready = IndexedHeap<Origin, Rank>()
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
        places[lastID] = Place(origin: origin, rank: rank)
        lines[origin, default: Line()].waiting.set(lastID, to: rank)
        update(origin)
        return lastID
    }

    /// The transfer to start now, which holds a place of its host from here on; nil when none may start.
    mutating func next() -> ID? {
        guard running < max(1, limits.total), let origin = ready.first?.element,
            let id = lines[origin]?.waiting.first?.element
        else { return nil }
        lines[origin]?.waiting.remove(id)
        lines[origin]?.running += 1
        places[id]?.isRunning = true
        running += 1
        update(origin)
        return id
    }

    /// Takes back the place of a transfer that has ended.
    ///
    /// - Parameter isMultiplexed: Whether it shared its connection with others, where that is known.
    mutating func finish(_ id: ID, isMultiplexed: Bool?) {
        guard let place = places[id], place.isRunning else { return }
        places[id] = nil
        lines[place.origin]?.running -= 1
        running -= 1
        switch isMultiplexed {
        case true?:
            if multiplexing.count >= Self.maxKnownOrigins { multiplexing.removeAll() }
            multiplexing.insert(place.origin)
        case false?: multiplexing.remove(place.origin)
        case nil: break
        }
        update(place.origin)
    }

    /// Takes a transfer out; `false` when it does not wait (any more).
    mutating func withdraw(_ id: ID) -> Bool {
        guard let place = places[id], !place.isRunning else { return false }
        places[id] = nil
        lines[place.origin]?.waiting.remove(id)
        update(place.origin)
        return true
    }

    /// Moves a waiting transfer to where another priority puts it; its arrival still counts among equals.
    mutating func reprioritise(_ id: ID, to priority: Float) {
        guard let place = places[id], !place.isRunning else { return }
        let rank = Rank(priority: priority, arrival: place.rank.arrival)
        places[id]?.rank = rank
        lines[place.origin]?.waiting.set(id, to: rank)
        update(place.origin)
    }

    private func limit(of origin: Origin) -> Int {
        max(1, multiplexing.contains(origin) ? limits.perMultiplexedHost : limits.perHost)
    }

    /// Puts an origin among those that may start something, or takes it out, after its line has changed.
    private mutating func update(_ origin: Origin) {
        guard let line = lines[origin] else { return }
        guard let first = line.waiting.first else {
            ready.remove(origin)
            if line.running == 0 { lines[origin] = nil }
            return
        }
        if line.running < limit(of: origin) {
            ready.set(origin, to: first.rank)
        } else {
            ready.remove(origin)
        }
    }
}
