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
    /// When the transport was suspended; nil while it is not.
    private var suspension: MonotonicTime?
    /// The time of earlier suspensions.
    private var suspended = Duration.zero

    init(_ limits: TransportLimits, at time: MonotonicTime) {
        self.limits = limits
        start = time
        (resolved, since) = (time, time)
    }

    /// Nil without a limit, and while the transport is suspended.
    var deadline: (time: MonotonicTime, phase: TransportError.Phase)? {
        guard suspension == nil else { return nil }
        let phaseEnd: (time: MonotonicTime, phase: TransportError.Phase)? =
            switch state {
            case .resolving: (start + suspended + limits.connect, .resolve)
            case .queued: nil
            case .connecting: (since + limits.connect, .connect)
            case .exchanging: isPaused ? nil : (since + limits.idle, .idle)
            }
        guard let total = limits.total else { return phaseEnd }
        let end = (time: start + suspended + total, phase: TransportError.Phase.total)
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

    mutating func suspend(at time: MonotonicTime) { suspension = suspension ?? max(start, time) }

    mutating func resume(at time: MonotonicTime) {
        guard let begin = suspension.take() else { return }
        suspended += time - begin
        since = since + (time - max(begin, since))
    }
}
