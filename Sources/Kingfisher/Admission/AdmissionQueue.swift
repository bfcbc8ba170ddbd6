import KingfisherTransport

/// Decides which loads may take memory, within a budget: a value, told what happens and at what time.
///
/// A load enters, reserves bytes, changes its reservation as it learns what it needs, and leaves. What does
/// not fit waits: first the loads that were given memory, because they free it soonest, then those that were
/// given none, each by priority and then by arrival. One load at a time may exceed the budget, the first of
/// those that hold memory and wait, so that loads which all need more never wait for each other; the next one
/// may when that load stalls, but what is given is never more than twice the budget. Where every load that
/// was given memory waits for more, the first one gets it in any case: nothing else would end the wait.
struct AdmissionQueue: Sendable {
    typealias ID = UInt64

    struct Limits: Sendable, Equatable {
        /// Bytes that all loads may hold together.
        var budget: Int
        /// Loads that may wait.
        var queueLength = 1_024
    }

    enum Answer: Equatable, Sendable {
        case reserved
        /// `next()` will name the load when its turn comes.
        case waits
        /// It needs more than the whole budget; nothing has changed.
        case exceedsBudget
    }

    private struct Rank: Comparable, Sendable {
        let priority: Float
        let arrival: ID

        static func < (one: Self, other: Self) -> Bool {
            (-one.priority, one.arrival) < (-other.priority, other.arrival)
        }
    }

    /// How far a transfer has come.
    struct Progress: Sendable {
        /// Bytes of the body.
        let received: Int
        /// Bytes of memory that they take.
        let held: Int
    }

    private struct Load: Sendable {
        let rank: Rank
        var reserved = 0
        /// What it waits for, as the whole of its reservation; nil where it does not wait.
        var wanted: Int?
        /// Whether it was ever given memory; what it came with does not count.
        var isAdmitted = false
        /// Nil where no transfer is under way.
        var progress: Progress?
        /// Nil until it was looked at since it was given memory.
        var receivedBefore: Int?
        var isStalled = false
        var isWithdrawn = false
    }

    /// What a transfer keeps reserved beyond what it holds, where others wait: as much as it brings in eight
    /// looks, and this much at least.
    private static let leastAhead = 64 << 10

    let limits: Limits
    private var loads: [ID: Load] = [:]
    /// Loads that hold memory and wait for more.
    private var growing = IndexedHeap<ID, Rank>()
    /// Loads that were given none and wait for their first.
    private var arriving = IndexedHeap<ID, Rank>()
    /// The load that may exceed the budget.
    private var exception: ID?
    private var lastID: ID = 0
    private var admitted = 0
    private(set) var reserved = 0
    private var pace = Pace()

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Loads that have entered and were given no memory yet.
    var waiting: Int { loads.count - admitted }

    var isIdle: Bool { loads.isEmpty }

    /// Whether a load waits for memory.
    var isShort: Bool { !growing.isEmpty || !arriving.isEmpty }

    /// The number of a new load, which holds nothing yet; nil when as many wait as may.
    mutating func enter(priority: Float) -> ID? {
        guard waiting < max(1, limits.queueLength) else { return nil }
        lastID += 1
        loads[lastID] = Load(rank: Rank(priority: priority.isNaN ? 0.5 : priority, arrival: lastID))
        return lastID
    }

    /// Seconds after which a refused load may find room: as long as the queue takes at its latest pace, 1 at
    /// least and 60 at most.
    var retryAfter: Double { min(max((pace.interval * Double(waiting)).rounded(.up), 1), 60) }

    /// Bytes that a load holds.
    func reservation(of id: ID) -> Int { loads[id]?.reserved ?? 0 }

    /// Changes a load's whole reservation to `total` bytes; call `next()` until it names no more.
    mutating func reserve(_ id: ID, total: Int) -> Answer {
        guard total <= limits.budget else { return .exceedsBudget }
        guard let load = loads[id] else { return .reserved }
        if load.isAdmitted, total <= load.reserved {
            set(id, to: total)
            return .reserved
        }
        guard !load.isWithdrawn else { return .waits }
        loads[id]?.wanted = total
        if load.isAdmitted { growing.set(id, to: load.rank) } else { arriving.set(id, to: load.rank) }
        return .waits
    }

    /// Notes how far a load's transfer has come; nil when it is over.
    mutating func note(_ progress: Progress?, by id: ID) {
        loads[id]?.progress = progress
        if progress == nil { loads[id]?.isStalled = false }
    }

    /// Gives a load that waits what it waits for, and names it; nil when none may have it.
    mutating func next() -> ID? {
        if let exception, let load = loads[exception], let wanted = load.wanted,
            fits(wanted - load.reserved, times: 2)
        {
            return grant(exception, wanted)
        }
        if let first = growing.first?.element, let load = loads[first], let wanted = load.wanted {
            if fits(wanted - load.reserved) { return grant(first, wanted) }
            guard mayExceed(by: wanted - load.reserved) || growing.count == admitted else { return nil }
            exception = first
            return grant(first, wanted)
        }
        guard let first = arriving.first?.element, let load = loads[first], let wanted = load.wanted else {
            return nil
        }
        if fits(wanted - load.reserved) || admitted == 0 || reserved == 0 { return grant(first, wanted) }
        guard load.reserved > 0, mayExceed(by: wanted - load.reserved) else { return nil }
        exception = first
        return grant(first, wanted)
    }

    /// Whether another load may exceed the budget by so many bytes.
    private func mayExceed(by bytes: Int) -> Bool {
        (exception.flatMap { loads[$0] }?.isStalled ?? true) && fits(bytes, times: 2)
    }

    /// Counts memory that a load comes with, whether it fits or not; it still waits for its turn.
    mutating func hold(_ id: ID, _ bytes: Int) {
        if loads[id] != nil { set(id, to: bytes) }
    }

    /// Whether a load waits for memory.
    func isWaiting(_ id: ID) -> Bool { loads[id]?.wanted != nil }

    /// Stops a load's waiting, now and later; it keeps what it holds.
    mutating func withdraw(_ id: ID) {
        loads[id]?.isWithdrawn = true
        stopWaiting(id)
    }

    private mutating func stopWaiting(_ id: ID) {
        loads[id]?.wanted = nil
        growing.remove(id)
        arriving.remove(id)
    }

    /// Takes back all that a load holds, at `time` in seconds.
    mutating func leave(_ id: ID, at time: Double) {
        guard let load = loads.removeValue(forKey: id) else { return }
        growing.remove(id)
        arriving.remove(id)
        if exception == id { exception = nil }
        reserved -= load.reserved
        guard load.isAdmitted else { return }
        admitted -= 1
        pace.note(at: time)
    }

    /// Takes back what transfers have reserved far ahead of what they bring; all that they do not hold from
    /// those that brought fewer than `bytes` since the last call, which are stalled. For when others wait;
    /// such a transfer asks again for what it needs.
    mutating func reclaim(below bytes: Int) {
        for (id, load) in loads {
            guard let progress = load.progress, load.wanted == nil, load.isAdmitted else { continue }
            loads[id]?.receivedBefore = progress.received
            guard let before = load.receivedBefore else { continue }
            let brought = progress.received - before
            let isStalled = brought < bytes
            loads[id]?.isStalled = isStalled
            let kept = progress.held + (isStalled ? 0 : max(Self.leastAhead, 8 * brought))
            if kept < load.reserved { set(id, to: kept) }
        }
    }

    /// Whether so many bytes more are within the budget, or a multiple of it.
    private func fits(_ bytes: Int, times factor: Int = 1) -> Bool {
        let limit = limits.budget.multipliedReportingOverflow(by: factor)
        return limit.overflow || bytes <= limit.partialValue - reserved
    }

    private mutating func grant(_ id: ID, _ total: Int) -> ID {
        stopWaiting(id)
        loads[id]?.receivedBefore = nil
        if loads[id]?.isAdmitted == false {
            loads[id]?.isAdmitted = true
            admitted += 1
        }
        set(id, to: total)
        return id
    }

    private mutating func set(_ id: ID, to total: Int) {
        reserved += total - (loads[id]?.reserved ?? 0)
        loads[id]?.reserved = total
    }
}

extension AdmissionQueue {
    /// How often loads leave: seconds between two of them, the latest counting most.
    private struct Pace: Sendable {
        private(set) var interval = 0.0
        private var last: Double?

        mutating func note(at time: Double) {
            defer { last = time }
            guard let last else { return }
            // An hour without load says nothing about the pace under load.
            let latest = min(max(time - last, 0), 1)
            interval = interval == 0 ? latest : interval * 0.9 + latest * 0.1
        }
    }
}
