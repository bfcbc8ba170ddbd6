/// Which time limit applies to a transfer, and when it is reached: a value that is updated with events and
/// times.
struct TransferTimeline {
    private enum State {
        case resolving
        /// Passed to libcurl, which may queue it until a connection is free.
        case queued
        case connecting, exchanging
    }

    let start: ContinuousClock.Instant
    private let limits: TransportLimits
    private var state = State.resolving
    /// The start of the connection, or the last activity of the exchange.
    private var since: ContinuousClock.Instant
    private(set) var resolved: ContinuousClock.Instant
    /// When the request was about to be sent; the last time if libcurl has repeated it on another connection.
    private(set) var requested: ContinuousClock.Instant?
    var isPaused = false

    init(_ limits: TransportLimits, at time: ContinuousClock.Instant) {
        self.limits = limits
        start = time
        (resolved, since) = (time, time)
    }

    var deadline: (time: ContinuousClock.Instant, phase: TransportError.Phase)? {
        let phaseEnd: (time: ContinuousClock.Instant, phase: TransportError.Phase)? =
            switch state {
            case .resolving: (start + limits.connect, .resolve)
            case .queued: nil
            case .connecting: (since + limits.connect, .connect)
            case .exchanging: isPaused ? nil : (since + limits.idle, .idle)
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

    /// Called for each new socket. A connection may open several (IPv6 and IPv4 race); the first one counts.
    mutating func beginConnecting(at time: ContinuousClock.Instant) {
        if state == .queued { (state, since) = (.connecting, time) }
    }

    mutating func beginExchange(at time: ContinuousClock.Instant) {
        requested = time
        (state, since) = (.exchanging, time)
    }

    mutating func noteActivity(at time: ContinuousClock.Instant) {
        if state == .exchanging, since < time { since = time }
    }
}
