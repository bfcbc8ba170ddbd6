/// Whether a transfer was too slow over the whole of a window: a value, told how many bytes there were at
/// which time.
struct RateMeter {
    /// Into how many parts a window is divided, and so how much later than at its end a slow transfer may be
    /// noticed.
    static let steps = 10
    /// The parts that make the window of a crowded host.
    static let crowdedSteps = 2

    private typealias Sample = (time: ContinuousClock.Instant, bytes: Int)

    private let limit: MinimumRate
    /// The last one that is at least a window old, or the first.
    private var oldest: Sample
    /// Those after it.
    private var samples: [Sample] = []

    /// The time that is judged: a fifth of the window on a crowded host.
    static func window(of limit: MinimumRate, isCrowded: Bool) -> Duration {
        isCrowded ? limit.window / steps * crowdedSteps : limit.window
    }

    init(_ limit: MinimumRate, at time: ContinuousClock.Instant) {
        self.limit = limit
        oldest = (time, 0)
    }

    /// Begins a new window, as after a pause.
    mutating func restart(at time: ContinuousClock.Instant, bytes: Int) {
        oldest = (time, bytes)
        samples = []
    }

    /// Notes how many bytes there are, and judges the window that ends now; a shorter one for a host to which
    /// as many slow transfers go on as may.
    mutating func isSlow(at time: ContinuousClock.Instant, bytes: Int, isCrowded: Bool = false) -> Bool {
        while let next = samples.first, time - next.time >= limit.window { oldest = samples.removeFirst() }
        let window = Self.window(of: limit, isCrowded: isCrowded)
        let start = samples.last { time - $0.time >= window } ?? oldest
        if time - (samples.last ?? oldest).time >= limit.window / Self.steps {
            samples.append((time, bytes))
        }
        let elapsed = time - start.time
        guard elapsed >= window else { return false }
        return Double(bytes - start.bytes) < Double(limit.bytesPerSecond) * elapsed.seconds
    }
}
