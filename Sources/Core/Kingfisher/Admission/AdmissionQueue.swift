import KingfisherTransport

/// Decides which loads may reserve memory, within a budget.
///
/// A pure value: events and times go in, decisions come out. A load enters, reserves bytes, changes its
/// reservation when it learns what it needs, and leaves. A reservation that does not fit waits.
///
/// - Loads that hold memory are served first, because they free it soonest; then those that hold none. Both
///   are ordered by priority, then by arrival.
/// - One load at a time may exceed the budget: the first one that holds memory and waits. So loads that all
///   need more cannot deadlock. If that load stalls, the next one may also exceed the budget. Reservations
///   never exceed twice the budget.
/// - If every admitted load waits for more, the first one gets it in any case, because no other event would
///   end the wait.
struct AdmissionQueue: Sendable {
    typealias ID = UInt64

    struct Limits: Sendable, Equatable {
        /// The number of transfers that may wait for a network slot, for each load that may wait for memory.
        static let transfersPerLoad = 8

        /// In bytes, of all loads together.
        var budget: Int
        var queueLength = 1_024

        var waitingTransfers: Int {
            let (count, overflows) = queueLength.multipliedReportingOverflow(by: Self.transfersPerLoad)
            return overflows ? .max : count
        }
    }

    enum Answer: Equatable, Sendable {
        case reserved
        case waits
        case exceedsBudget
        case queueIsFull
    }

    private struct Rank: Comparable, Sendable {
        let priority: Float
        let arrival: ID

        static func < (one: Self, other: Self) -> Bool {
            (-one.priority, one.arrival) < (-other.priority, other.arrival)
        }
    }

    /// The bytes of a body that a transfer has received, and the bytes of memory in use for them.
    struct Progress: Sendable {
        let received: Int
        let held: Int
    }

    private struct Load: Sendable {
        let rank: Rank
        var reserved = 0
        /// The total reservation it waits for; nil if it does not wait.
        var wanted: Int?
        /// Whether memory was granted to it. Memory counted by `hold` is not granted.
        var isAdmitted = false
        var progress: Progress?
        /// Received bytes at the last check; nil if there was none since memory was granted.
        var receivedBefore: Int?
        var isStalled = false
        var isWithdrawn = false
        /// Whether it counts as waiting.
        var isCounted = false
    }

    /// Bytes that a transfer may keep reserved in advance while others wait. A fast transfer may keep as much
    /// as it receives in eight check intervals.
    private static let leastAhead = 64 << 10

    let limits: Limits
    private var loads: [ID: Load] = [:]
    /// The loads that wait: admitted ones for more memory, others for their first.
    private var growing = IndexedHeap<ID, Rank>()
    private var arriving = IndexedHeap<ID, Rank>()
    private var exceedingLoad: ID?
    private var lastID: ID = 0
    private var admitted = 0
    private(set) var reserved = 0
    /// The number of loads that wait for their first memory, or whose bytes wait to be decoded.
    private(set) var waiting = 0
    private var pace = Pace()

    init(_ limits: Limits) {
        self.limits = limits
    }

    var isIdle: Bool { loads.isEmpty }

    var hasWaitingLoads: Bool { !growing.isEmpty || !arriving.isEmpty }

    /// Enters a load whose bytes have arrived. It counts as waiting until it is admitted. Returns nil if as
    /// many loads wait as may.
    mutating func enter(priority: Float) -> ID? {
        guard hasRoom else { return nil }
        let id = enterTransfer(priority: priority)
        count(id)
        return id
    }

    /// Enters a load that is not transferred yet. It counts as waiting from its first reservation that does
    /// not fit, so that loads from a silent host take no room from others.
    mutating func enterTransfer(priority: Float) -> ID {
        lastID += 1
        loads[lastID] = Load(rank: Rank(priority: priority.isNaN ? 0.5 : priority, arrival: lastID))
        return lastID
    }

    private var hasRoom: Bool { waiting < max(1, limits.queueLength) }

    private mutating func count(_ id: ID) {
        loads[id]?.isCounted = true
        waiting += 1
    }

    /// Seconds after which a refused load should try again: the time to drain the queue, and `transfers` that
    /// wait for a slot, at its current pace, from 1 to 60.
    func retryAfter(behind transfers: Int = 0) -> Double {
        min(max((pace.interval * (Double(waiting) + Double(transfers))).rounded(.up), 1), 60)
    }

    func reservation(of id: ID) -> Int { loads[id]?.reserved ?? 0 }

    /// Changes the total reservation of a load. Call `next()` afterwards until it returns nil.
    mutating func reserve(_ id: ID, total: Int) -> Answer {
        guard total <= limits.budget else { return .exceedsBudget }
        guard let load = loads[id] else { return .reserved }
        if load.isAdmitted, total <= load.reserved {
            set(id, to: total)
            return .reserved
        }
        guard !load.isWithdrawn else { return .waits }
        if !load.isAdmitted, !load.isCounted {
            guard hasRoom else { return .queueIsFull }
            count(id)
        }
        loads[id]?.wanted = total
        if load.isAdmitted { growing.set(id, to: load.rank) } else { arriving.set(id, to: load.rank) }
        return .waits
    }

    /// Notes the progress of a load's transfer; nil after its end.
    mutating func note(_ progress: Progress?, by id: ID) {
        loads[id]?.progress = progress
        if progress == nil { loads[id]?.isStalled = false }
    }

    mutating func next() -> ID? {
        if let exceedingLoad, let load = loads[exceedingLoad], let wanted = load.wanted,
            fits(wanted - load.reserved, times: 2)
        {
            return grant(exceedingLoad, wanted)
        }
        if let first = growing.first?.element, let load = loads[first], let wanted = load.wanted {
            if fits(wanted - load.reserved) { return grant(first, wanted) }
            guard mayExceed(by: wanted - load.reserved) || growing.count == admitted else { return nil }
            exceedingLoad = first
            return grant(first, wanted)
        }
        guard let first = arriving.first?.element, let load = loads[first], let wanted = load.wanted else {
            return nil
        }
        if fits(wanted - load.reserved) || admitted == 0 || reserved == 0 { return grant(first, wanted) }
        guard load.reserved > 0, mayExceed(by: wanted - load.reserved) else { return nil }
        exceedingLoad = first
        return grant(first, wanted)
    }

    private func mayExceed(by bytes: Int) -> Bool {
        (exceedingLoad.flatMap { loads[$0] }?.isStalled ?? true) && fits(bytes, times: 2)
    }

    /// Counts memory that a load holds already, even if it exceeds the budget. This does not admit the load.
    mutating func hold(_ id: ID, _ bytes: Int) {
        if loads[id] != nil { set(id, to: bytes) }
    }

    func isWaiting(_ id: ID) -> Bool { loads[id]?.wanted != nil }

    /// - Parameter forGood: Whether the load must not wait later either.
    mutating func stopWaiting(_ id: ID, forGood: Bool = false) {
        if forGood { loads[id]?.isWithdrawn = true }
        loads[id]?.wanted = nil
        growing.remove(id)
        arriving.remove(id)
    }

    /// - Parameter time: In seconds.
    mutating func leave(_ id: ID, at time: Double) {
        guard let load = loads.removeValue(forKey: id) else { return }
        growing.remove(id)
        arriving.remove(id)
        if exceedingLoad == id { exceedingLoad = nil }
        reserved -= load.reserved
        if load.isCounted { waiting -= 1 }
        guard load.isAdmitted else { return }
        admitted -= 1
        pace.note(at: time)
    }

    /// Takes back memory that transfers have reserved far in advance, for loads that wait.
    ///
    /// A transfer that received fewer than `bytes` since the last call is stalled and keeps only what it
    /// uses. It reserves again when it needs more.
    mutating func reclaim(below bytes: Int) {
        for (id, load) in loads {
            guard let progress = load.progress, load.wanted == nil, load.isAdmitted else { continue }
            loads[id]?.receivedBefore = progress.received
            guard let before = load.receivedBefore else { continue }
            let received = progress.received - before
            let isStalled = received < bytes
            loads[id]?.isStalled = isStalled
            let remaining = progress.held + (isStalled ? 0 : max(Self.leastAhead, 8 * received))
            if remaining < load.reserved { set(id, to: remaining) }
        }
    }

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
            if loads[id]?.isCounted == true { waiting -= 1 }
            loads[id]?.isCounted = false
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
    /// The moving average of the seconds between two loads that leave.
    private struct Pace: Sendable {
        private(set) var interval = 0.0
        private var last: Double?

        mutating func note(at time: Double) {
            defer { last = time }
            guard let last else { return }
            // Idle time says nothing about the pace under load.
            let latest = min(max(time - last, 0), 1)
            interval = interval == 0 ? latest : interval * 0.9 + latest * 0.1
        }
    }
}
