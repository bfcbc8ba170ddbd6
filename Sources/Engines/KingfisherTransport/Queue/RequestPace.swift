/// When the next request to a host may start: by a token bucket for each host, and by the times for which
/// servers have refused requests.
///
/// A value that gets the times of its operations, which must not decrease. Without a rate it remembers
/// nothing.
struct RequestPace {
    typealias Instant = MonotonicTime

    /// The maximum number of buckets, and of refusals. Above it, those that end first are forgotten early.
    static let maxHosts = 1_000
    /// The longest time for which a refusal by a server is remembered.
    static let longestBlock = Duration.seconds(3_600)
    /// A request that would have to wait longer for a server that refuses requests fails instead.
    static let longestWait = Duration.seconds(60)

    private(set) var rate: RequestRate?
    /// The times at which buckets are full again. Separate from the refusals, which last longer, so that many
    /// hosts that refuse requests cannot displace the buckets of others.
    private var buckets = IndexedHeap<Origin, Instant>()
    /// The times at which servers accept requests again.
    private var refusals = IndexedHeap<Origin, Instant>()

    /// False if no request has to wait, so that callers can skip the other functions.
    var isActive: Bool { rate != nil }

    var knownHosts: (buckets: Int, refusals: Int) { (buckets.count, refusals.count) }

    /// When the next request may start; nil if it may start now.
    func due(_ origin: Origin, at time: Instant) -> Instant? {
        let paced = buckets.rank(of: origin).map { $0 - (rate?.lead ?? .zero) } ?? time
        let due = max(paced, refusals.rank(of: origin) ?? time)
        return due > time ? due : nil
    }

    /// How long the server refuses requests, if that is longer than ``longestWait``.
    func refusal(_ origin: Origin, at time: Instant) -> Duration? {
        refusals.rank(of: origin).map { $0 - time }.flatMap { $0 > Self.longestWait ? $0 : nil }
    }

    /// Changes the rate. Buckets start full, because they were filled at another rate.
    mutating func setRate(_ new: RequestRate?) {
        guard new != rate else { return }
        rate = new
        buckets = IndexedHeap()
        if new == nil { refusals = IndexedHeap() }
    }

    /// Counts a request that starts.
    mutating func take(_ origin: Origin, at time: Instant) {
        guard let interval = rate?.interval else { return }
        Self.set(origin, to: max(buckets.rank(of: origin) ?? time, time) + interval, in: &buckets)
    }

    /// Notes that the server refuses requests for a time. It never shortens an earlier refusal.
    mutating func block(_ origin: Origin, for duration: Duration, at time: Instant) {
        guard isActive, duration > .zero else { return }
        let end = time + min(duration, Self.longestBlock)
        Self.set(origin, to: max(refusals.rank(of: origin) ?? end, end), in: &refusals)
    }

    /// Forgets hosts that no longer delay a request.
    mutating func advance(to time: Instant) {
        while let first = buckets.first, first.rank <= time { buckets.remove(first.element) }
        while let first = refusals.first, first.rank <= time { refusals.remove(first.element) }
    }

    private static func set(_ origin: Origin, to end: Instant, in heap: inout IndexedHeap<Origin, Instant>) {
        heap.set(origin, to: end)
        if heap.count > maxHosts, let first = heap.first { heap.remove(first.element) }
    }
}
