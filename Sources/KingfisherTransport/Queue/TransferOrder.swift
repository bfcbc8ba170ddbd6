/// Decides which transfer starts next: by priority, then by arrival, among those whose host has a free slot
/// and is due.
///
/// It makes decisions only. The caller starts the transfer that ``next()`` returns, reports its end, and
/// reports slow transfers to ``yieldSlot(_:)``. Every operation is O(log n) in the number of waiting
/// transfers and hosts, except that ``block(_:for:at:)`` may search all transfers.
///
/// If ``isPaced`` is true, the caller passes the time to ``advance(to:)`` before it starts transfers.
struct TransferOrder {
    typealias ID = UInt64

    struct Rank: Comparable {
        let priority: Float
        let arrival: UInt64

        /// A priority outside of 0...1 is clamped; NaN counts as 0.5.
        init(priority: Float, arrival: UInt64) {
            self.priority = priority.isNaN ? 0.5 : min(max(priority, 0), 1)
            self.arrival = arrival
        }

        static func < (one: Self, other: Self) -> Bool {
            one.priority != other.priority
                ? one.priority > other.priority : one.arrival < other.arrival
        }
    }

    enum Yield {
        case stays
        case continuesOutside
        /// It loses its slot and must end, because too many transfers continue without one.
        case ends
    }

    private enum Status {
        case waiting
        case running
        case outside
        case ending
    }

    private struct Entry {
        let queue: Int
        var rank: Rank
        var status = Status.waiting
    }

    private struct OriginQueue {
        let origin: Origin
        var waiting = IndexedHeap<ID, Rank>()
        /// When the next transfer may start; nil if that is not in the future.
        var due: MonotonicTime?
        var running = 0
        var outside = 0
        var ending = 0

        var isIdle: Bool { running + outside + ending == 0 }
    }

    /// The maximum number of origins whose protocol is remembered, which bounds the memory of a crawler.
    static let maxKnownOrigins = 1_000

    /// The identifier of a transfer that is not in the order; it never waits or runs.
    static let unlisted: ID = 0

    let limits: QueuedTransport.Limits
    private var entries: [ID: Entry] = [:]
    /// By number, so that an origin is hashed only once per transfer. Not optional: reading a field of an
    /// optional element copies it.
    private var queues: [OriginQueue] = []
    private var freeNumbers: [Int] = []
    private var numbers: [Origin: Int] = [:]
    /// Queues with a waiting transfer and a free slot, by the rank of their next transfer.
    private var ready = IndexedHeap<Int, Rank>()
    /// Queues with a waiting transfer whose origin is idle. They may start one transfer beyond the total.
    private var idle = IndexedHeap<Int, Rank>()
    /// Queues with a waiting transfer that are not due yet.
    private var early = IndexedHeap<Int, MonotonicTime>()
    private var pace = RequestPace()
    /// The time of the last `advance`. Not used while nothing is paced.
    private var time: MonotonicTime
    private var multiplexing: Set<Origin> = []
    private var lastID: ID = 0
    private(set) var running = 0
    /// The number of slow transfers without a slot.
    private(set) var outside = 0
    private var ending = 0

    init(_ limits: QueuedTransport.Limits, at time: MonotonicTime = .now) {
        self.limits = limits
        self.time = time
    }

    var waiting: Int { entries.count - running - outside - ending }

    mutating func enqueue(at origin: Origin, _ rank: Rank) -> ID {
        lastID += 1
        let number = number(of: origin)
        entries[lastID] = Entry(queue: number, rank: rank)
        queues[number].waiting.set(lastID, to: rank)
        findDue(number)
        update(number)
        return lastID
    }

    /// Starts a transfer immediately, if a slot is free and no waiting transfer could start; otherwise
    /// returns nil.
    mutating func start(at origin: Origin, _ rank: Rank) -> ID? {
        let isBeyondTotal = !hasRoom
        guard isBeyondTotal ? idle.isEmpty && hasReserve : ready.isEmpty else { return nil }
        let number = number(of: origin)
        guard isBeyondTotal ? queues[number].isIdle : hasRoom(number), isDue(origin) else {
            return nil
        }
        lastID += 1
        entries[lastID] = Entry(queue: number, rank: rank, status: .running)
        queues[number].running += 1
        running += 1
        if isPaced { pace.take(origin, at: time) }
        return lastID
    }

    mutating func next() -> ID? {
        let number = hasRoom ? ready.first?.element : hasReserve ? idle.first?.element : nil
        guard let number, let id = queues[number].waiting.first?.element else { return nil }
        queues[number].waiting.remove(id)
        queues[number].running += 1
        entries[id]?.status = .running
        running += 1
        if isPaced {
            pace.take(queues[number].origin, at: time)
            findDue(number)
        }
        update(number)
        return id
    }

    func isCrowded(_ id: ID) -> Bool {
        limits.slowOfOneHost > 0
            && entries[id].map { queues[$0.queue].outside >= limits.slowOfOneHost } ?? false
    }

    mutating func yieldSlot(_ id: ID) -> Yield {
        guard let entry = entries[id], case .running = entry.status, isAwaited(entry.queue) else {
            return .stays
        }
        let fits = queues[entry.queue].outside < limits.slowOfOneHost && outside < limits.slowTotal
        entries[id]?.status = fits ? .outside : .ending
        queues[entry.queue].running -= 1
        running -= 1
        if fits {
            queues[entry.queue].outside += 1
            outside += 1
        } else {
            queues[entry.queue].ending += 1
            ending += 1
        }
        update(entry.queue)
        return fits ? .continuesOutside : .ends
    }

    /// - Parameter isMultiplexed: Whether it shared its connection with others; nil if that is unknown.
    mutating func finish(_ id: ID, isMultiplexed: Bool?) {
        guard let entry = entries[id] else { return }
        switch entry.status {
        case .waiting: return
        case .running:
            queues[entry.queue].running -= 1
            running -= 1
        case .outside:
            queues[entry.queue].outside -= 1
            outside -= 1
        case .ending:
            queues[entry.queue].ending -= 1
            ending -= 1
        }
        entries[id] = nil
        if let isMultiplexed { note(isMultiplexed, entry.queue) }
        update(entry.queue)
    }

    private mutating func note(_ isMultiplexed: Bool, _ number: Int) {
        guard isMultiplexed || !multiplexing.isEmpty else { return }
        let origin = queues[number].origin
        if isMultiplexed {
            if multiplexing.count >= Self.maxKnownOrigins { multiplexing.removeAll() }
            multiplexing.insert(origin)
        } else {
            multiplexing.remove(origin)
        }
    }

    mutating func withdraw(_ id: ID) -> Bool {
        guard let entry = entries[id], case .waiting = entry.status else { return false }
        entries[id] = nil
        queues[entry.queue].waiting.remove(id)
        update(entry.queue)
        return true
    }

    mutating func reprioritise(_ id: ID, to priority: Float) {
        guard let entry = entries[id], case .waiting = entry.status else { return }
        let rank = Rank(priority: priority, arrival: entry.rank.arrival)
        entries[id]?.rank = rank
        queues[entry.queue].waiting.set(id, to: rank)
        update(entry.queue)
    }

    // MARK: Times

    /// Whether the time decides which transfer may start.
    var isPaced: Bool { pace.isActive }

    var rate: RequestRate? { pace.rate }

    /// When the first transfer that waits for its time may start; nil if there is none.
    var nextDue: MonotonicTime? { early.first?.rank }

    mutating func advance(to now: MonotonicTime) {
        // Threads read the clock before they take the lock.
        time = max(time, now)
        pace.advance(to: time)
        while let first = early.first, first.rank <= time {
            findDue(first.element)
            update(first.element)
        }
    }

    mutating func setRate(_ rate: RequestRate?, at now: MonotonicTime) {
        advance(to: now)
        pace.setRate(rate)
        for number in queues.indices where !queues[number].waiting.isEmpty {
            findDue(number)
            update(number)
        }
    }

    /// How long the server refuses requests, if transfers must not wait for it.
    func refusal(_ origin: Origin) -> Duration? { isPaced ? pace.refusal(origin, at: time) : nil }

    /// Starts no transfer to the host of `id` for a while. If that is too long to wait, withdraws the waiting
    /// transfers and returns them.
    mutating func block(
        _ id: ID, for duration: Duration, at now: MonotonicTime
    ) -> (withdrawn: [ID], wait: Duration)? {
        guard isPaced, let number = entries[id]?.queue else { return nil }
        let origin = queues[number].origin
        advance(to: now)
        pace.block(origin, for: duration, at: time)
        findDue(number)
        update(number)
        guard let wait = refusal(origin) else { return nil }
        let waiting = entries.filter { $1.queue == number && $1.status == .waiting }.keys.sorted()
        return (waiting.filter { withdraw($0) }, wait)
    }

    private func isDue(_ origin: Origin) -> Bool { !isPaced || pace.due(origin, at: time) == nil }

    private mutating func findDue(_ number: Int) {
        guard isPaced || queues[number].due != nil else { return }
        queues[number].due = pace.due(queues[number].origin, at: time)
    }

    // MARK: Slots

    private var hasRoom: Bool { running < max(1, limits.total) }

    private var hasReserve: Bool { running < max(1, limits.total) + max(0, limits.reserve) }

    private func hasRoom(_ number: Int) -> Bool {
        let most = isMultiplexing(number) ? limits.perMultiplexedHost : limits.perHost
        return queues[number].running < max(1, most)
    }

    private func isAwaited(_ number: Int) -> Bool {
        if !queues[number].waiting.isEmpty, queues[number].due == nil, !hasRoom(number) { return true }
        return !hasRoom && !ready.isEmpty
    }

    private func isMultiplexing(_ number: Int) -> Bool {
        !multiplexing.isEmpty && multiplexing.contains(queues[number].origin)
    }

    private mutating func number(of origin: Origin) -> Int {
        if let number = numbers[origin] { return number }
        let number = freeNumbers.popLast() ?? queues.count
        if number == queues.count {
            queues.append(OriginQueue(origin: origin))
        } else {
            queues[number] = OriginQueue(origin: origin)
        }
        numbers[origin] = number
        return number
    }

    private mutating func update(_ number: Int) {
        let isIdle = queues[number].isIdle
        guard let first = queues[number].waiting.first else {
            ready.remove(number)
            idle.remove(number)
            early.remove(number)
            if isIdle { release(number) }
            return
        }
        if let due = queues[number].due {
            ready.remove(number)
            idle.remove(number)
            early.set(number, to: due)
            return
        }
        early.remove(number)
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

    private mutating func release(_ number: Int) {
        numbers[queues[number].origin] = nil
        freeNumbers.append(number)
    }
}
