/// Which limit a transfer is up against, and when: a value, told what happens and at what time.
struct TransferTimeline {
    private enum State {
        case resolving
        /// Handed to libcurl, which may keep it waiting for a free connection.
        case queued
        case connecting(since: ContinuousClock.Instant)
        case exchanging(lastActivity: ContinuousClock.Instant)
    }

    let start: ContinuousClock.Instant
    private let limits: TransportLimits
    private var state = State.resolving
    private(set) var resolved: ContinuousClock.Instant
    /// When the request was about to be sent; the last time where libcurl has sent it again, on another
    /// connection.
    private(set) var requested: ContinuousClock.Instant?
    var isPaused = false

    init(_ limits: TransportLimits, at time: ContinuousClock.Instant) {
        self.limits = limits
        start = time
        resolved = time
    }

    /// The next moment at which a limit is reached, if any is running.
    var deadline: (time: ContinuousClock.Instant, phase: TransportError.Phase)? {
        let phaseEnd: (time: ContinuousClock.Instant, phase: TransportError.Phase)? =
            switch state {
            case .resolving: (start + limits.connect, .resolve)
            case .queued: nil
            case .connecting(let since): (since + limits.connect, .connect)
            case .exchanging(let last): isPaused ? nil : (last + limits.idle, .idle)
            }
        guard let total = limits.total else { return phaseEnd }
        let end = (time: start + total, phase: TransportError.Phase.total)
        guard let phaseEnd, phaseEnd.time < end.time else { return end }
        return phaseEnd
    }

    mutating func endResolving(at time: ContinuousClock.Instant) {
        resolved = time
        state = .queued
    }

    /// A socket was made. Several may be for one connection (IPv6 and IPv4 race): the first one counts.
    mutating func beginConnecting(at time: ContinuousClock.Instant) {
        if case .queued = state { state = .connecting(since: time) }
    }

    mutating func beginExchange(at time: ContinuousClock.Instant) {
        requested = time
        state = .exchanging(lastActivity: time)
    }

    /// A time before the last one known, as that of a round that began earlier, changes nothing.
    mutating func noteActivity(at time: ContinuousClock.Instant) {
        if case .exchanging(let last) = state, last < time { state = .exchanging(lastActivity: time) }
    }
}
