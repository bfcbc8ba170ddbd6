/// Decides whether a node is asked: after five failures within ten seconds it is not, for five seconds with
/// a jitter of 20 %. One probe decides what follows.
struct CircuitBreaker: Sendable {
    typealias Instant = ContinuousClock.Instant

    private enum State {
        case closed(failures: [Instant])
        case open(until: Instant)
        case probing(until: Instant)
    }

    static let failures = 5
    static let window = Duration.seconds(10)
    static let pause = Duration.seconds(5)

    private var state = State.closed(failures: [])

    /// The state without its times, for events.
    enum Phase: String {
        case closed, open, probing
    }

    var phase: Phase {
        switch state {
        case .closed: .closed
        case .open: .open
        case .probing: .probing
        }
    }

    /// Whether a command may be sent now. After the pause, one caller becomes the probe; if its outcome stays
    /// unknown for as long as the pause, another one does.
    mutating func permits(at now: Instant) -> Bool {
        switch state {
        case .closed: return true
        case .open(let until), .probing(let until):
            guard now >= until else { return false }
            state = .probing(until: now + Self.pause)
            return true
        }
    }

    /// Earlier failures still count: a node that loses every second command is not used.
    mutating func succeed() {
        if case .probing = state { state = .closed(failures: []) }
    }

    /// - Parameter jitter: A random number from 0.8 to 1.2.
    mutating func fail(at now: Instant, jitter: Double) {
        switch state {
        case .closed(var failures):
            failures.removeAll { now - $0 >= Self.window }
            failures.append(now)
            state =
                failures.count >= Self.failures
                ? .open(until: now + Self.pause * jitter) : .closed(failures: failures)
        case .probing: state = .open(until: now + Self.pause * jitter)
        case .open: break
        }
    }
}
