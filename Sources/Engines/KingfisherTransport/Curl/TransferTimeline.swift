/// Which time limit applies to a transfer, and when it is reached: a value that is updated with events and
/// times.
struct TransferTimeline {
    private enum State {
        case resolving
        /// Passed to libcurl, which may queue it until a connection is free.
        case queued
        case connecting, exchanging
    }

    let start: MonotonicTime
    private let limits: TransportLimits
    private var state = State.resolving
    /// The start of the connection, or the last activity of the exchange.
    private var since: MonotonicTime
    private(set) var resolved: MonotonicTime
    var isPaused = false

    init(_ limits: TransportLimits, at time: MonotonicTime) {
        self.limits = limits
        start = time
        (resolved, since) = (time, time)
    }

    var deadline: (time: MonotonicTime, phase: TransportError.Phase)? {
        let phaseEnd: (time: MonotonicTime, phase: TransportError.Phase)? =
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

    /// - Parameter time: The time of the loop's round, which may have begun before the transfer.
    mutating func endResolving(at time: MonotonicTime) {
        resolved = max(start, time)
        state = .queued
    }

    /// Called for each new socket. A connection may open several (IPv6 and IPv4 race); the first one counts.
    mutating func beginConnecting(at time: MonotonicTime) {
        if state == .queued { (state, since) = (.connecting, time) }
    }

    mutating func beginExchange(at time: MonotonicTime) {
        (state, since) = (.exchanging, time)
    }

    mutating func noteActivity(at time: MonotonicTime) {
        if state == .exchanging, since < time { since = time }
    }
}
