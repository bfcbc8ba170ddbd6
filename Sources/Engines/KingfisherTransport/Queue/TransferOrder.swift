/// Decides which transfer starts next: by priority, then by arrival, among those whose host has a free slot
/// and is due.
///
/// It makes decisions only. The caller starts the transfer that ``next()`` returns, reports its end, and
/// reports slow transfers to ``yieldSlot(_:)``. Every operation is O(log n) in the number of waiting
/// transfers and hosts, except that ``block(_:for:at:)`` may search all transfers.
///
/// Origins whose transfers share a host, because they have an address policy, also have a limit together:
/// otherwise each port of a host would have its own slots.
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
        /// Whether it counts among the waiting transfers with a limit.
        var isLimited = false
    }

    /// The maximum number of origins whose protocol is remembered, which bounds the memory of a crawler.
    static let maxKnownOrigins = 1_000

    /// The identifier of a transfer that is not in the order; it never waits or runs.
    static let unlisted: ID = 0

    /// The waiting transfers of one host may take this part of the limit.
    static let waitShare = 4

    let limits: QueuedTransport.Limits
    /// Whether no transfer may start.
    var isSuspended = false
    private var entries: [ID: Entry] = [:]
    /// By number, so that an origin is hashed only once per transfer. Not optional: reading a field of an
    /// optional element copies it.
    private var queues: [OriginQueue] = []
    private var numbers = Numbering<Origin>()
    private var hosts: [SharedHost] = []
    private var hostNumbers = Numbering<String>()
    /// Queues with a waiting transfer and a free slot, by the rank of their next transfer. Queues that share
    /// a host are in the heap of the host, which is here as the complement of its number if it has room.
    private var ready = IndexedHeap<Int, Rank>()
    /// The same for queues with a waiting transfer whose origin is idle. They may start one transfer beyond
    /// the total.
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
    /// The number of waiting transfers with a limit.
    private(set) var limited = 0

    init(_ limits: QueuedTransport.Limits, at time: MonotonicTime = .now) {
        self.limits = limits
        self.time = time
    }

    var waiting: Int { entries.count - running - outside - ending }

    /// Whether one more transfer may wait if at most `limit` may, counting those with a limit.
    ///
    /// A host may take its share of the limit, and not more than others have left, so that a few hosts cannot
    /// take all of it (dynamic thresholds, Choudhury and Hahne 1998).
    func mayWait(at origin: Origin, sharesHost: Bool = false, limit: Int) -> Bool {
        let own =
            sharesHost
            ? hostNumbers[origin.host].map { hosts[$0].limited } : numbers[origin].map { queues[$0].limited }
        return own ?? 0 < min(max(1, limit / Self.waitShare), limit - limited)
    }

    /// - Parameters:
    ///   - sharesHost: Whether the limit for all origins of the host applies.
    ///   - isLimited: Whether the transfer counts for `mayWait`.
    mutating func enqueue(
        at origin: Origin, _ rank: Rank, sharesHost: Bool = false, isLimited: Bool = false
    ) -> ID {
        lastID += 1
        let number = number(of: origin, sharesHost: sharesHost)
        entries[lastID] = Entry(queue: number, rank: rank, isLimited: isLimited)
        if isLimited { countLimited(1, number) }
        queues[number].waiting.set(lastID, to: rank)
        findDue(number)
        update(number)
        return lastID
    }

    /// Starts a transfer immediately, if a slot is free and no waiting transfer could start; otherwise
    /// returns nil.
    mutating func start(at origin: Origin, _ rank: Rank, sharesHost: Bool = false) -> ID? {
        let isBeyondTotal = !hasRoom
        guard !isSuspended, isBeyondTotal ? idle.isEmpty && hasReserve : ready.isEmpty else { return nil }
        let number = number(of: origin, sharesHost: sharesHost)
        let isHostFull = queues[number].host.map(isFull) ?? false
        guard isBeyondTotal ? queues[number].isIdle : hasRoom(number), isDue(origin), !isHostFull else {
            update(number)
            return nil
        }
        lastID += 1
        entries[lastID] = Entry(queue: number, rank: rank, status: .running)
        countStart(number)
        if isPaced { pace.take(origin, at: time) }
        if queues[number].host != nil { update(number) }
        return lastID
    }

    mutating func next() -> ID? {
        guard !isSuspended, let number = nextQueue, let id = queues[number].waiting.first?.element else {
            return nil
        }
        stopWaiting(id, number)
        countStart(number)
        entries[id]?.status = .running
        if isPaced {
            pace.take(queues[number].origin, at: time)
            findDue(number)
        }
        update(number)
        return id
    }

    private var nextQueue: Int? {
        let first = hasRoom ? ready.first?.element : hasReserve ? idle.first?.element : nil
        guard let first, first < 0 else { return first }
        return (hasRoom ? hosts[~first].ready : hosts[~first].idle).first?.element
    }

    private mutating func countStart(_ number: Int) {
        queues[number].running += 1
        running += 1
        if let host = queues[number].host { hosts[host].started += 1 }
    }

    private mutating func countLimited(_ change: Int, _ number: Int) {
        limited += change
        queues[number].limited += change
        if let host = queues[number].host { hosts[host].limited += change }
    }

    private mutating func stopWaiting(_ id: ID, _ number: Int) {
        queues[number].waiting.remove(id)
        if entries[id]?.isLimited == true { countLimited(-1, number) }
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
        if let host = queues[entry.queue].host { hosts[host].started -= 1 }
        if let isMultiplexed { note(isMultiplexed, entry.queue) }
        update(entry.queue)
    }

    private mutating func note(_ isMultiplexed: Bool, _ number: Int) {
        guard isMultiplexed || !multiplexing.isEmpty else { return }
        let origin = queues[number].origin
        if isMultiplexed, multiplexing.count >= Self.maxKnownOrigins {
            multiplexing.removeAll()
            for host in hosts.indices { hosts[host].multiplexing = 0 }
        }
        let hasChanged =
            isMultiplexed ? multiplexing.insert(origin).inserted : multiplexing.remove(origin) != nil
        if hasChanged, let host = queues[number].host {
            hosts[host].multiplexing += isMultiplexed ? 1 : -1
        }
    }

    mutating func withdraw(_ id: ID) -> Bool {
        guard let entry = entries[id], case .waiting = entry.status else { return false }
        stopWaiting(id, entry.queue)
        entries[id] = nil
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

    private func isFull(_ host: Int) -> Bool {
        let most = hosts[host].multiplexing > 0 ? limits.multiplexedOnAllPorts : limits.perHostOnAllPorts
        return hosts[host].started >= most
    }

    private func isAwaited(_ number: Int) -> Bool {
        if !queues[number].waiting.isEmpty, queues[number].due == nil, !hasRoom(number) { return true }
        return !hasRoom && !ready.isEmpty
    }

    private func isMultiplexing(_ number: Int) -> Bool {
        !multiplexing.isEmpty && multiplexing.contains(queues[number].origin)
    }

    private mutating func number(of origin: Origin, sharesHost: Bool) -> Int {
        let number = numbers[origin] ?? add(origin)
        if sharesHost, queues[number].host == nil { join(number, origin.host) }
        return number
    }

    private mutating func add(_ origin: Origin) -> Int {
        let number = numbers.add(origin)
        queues.put(OriginQueue(origin: origin), at: number)
        return number
    }

    private mutating func join(_ number: Int, _ name: String) {
        ready.remove(number)
        idle.remove(number)
        let host = hostNumbers[name] ?? hostNumbers.add(name)
        if host == hosts.count || hosts[host].origins == 0 { hosts.put(SharedHost(name: name), at: host) }
        queues[number].host = host
        hosts[host].origins += 1
        hosts[host].started += queues[number].started
        hosts[host].limited += queues[number].limited
        if isMultiplexing(number) { hosts[host].multiplexing += 1 }
    }

    /// Updates the places of a queue after a change. Releases it if it has no transfer.
    private mutating func update(_ number: Int) {
        let (rank, due) = (queues[number].waiting.first?.rank, queues[number].due)
        let isIdle = queues[number].isIdle
        early.place(number, at: rank == nil ? nil : due)
        let readyRank = due == nil && hasRoom(number) ? rank : nil
        let idleRank = due == nil && isIdle ? rank : nil
        let host = queues[number].host
        if let host {
            hosts[host].ready.place(number, at: readyRank)
            hosts[host].idle.place(number, at: idleRank)
        } else {
            ready.place(number, at: readyRank)
            idle.place(number, at: idleRank)
        }
        if rank == nil, isIdle { release(number) }
        guard let host else { return }
        let isFull = isFull(host)
        ready.place(~host, at: isFull ? nil : hosts[host].ready.first?.rank)
        idle.place(~host, at: isFull ? nil : hosts[host].idle.first?.rank)
    }

    private mutating func release(_ number: Int) {
        numbers.remove(queues[number].origin)
        guard let host = queues[number].host else { return }
        hosts[host].origins -= 1
        if isMultiplexing(number) { hosts[host].multiplexing -= 1 }
        if hosts[host].origins == 0 { hostNumbers.remove(hosts[host].name) }
    }
}
