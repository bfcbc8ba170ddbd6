/// Tells whether a transfer was too slow over a whole window: a value that is updated with times and byte
/// counts.
struct RateMeter {
    /// The number of parts of a window. A slow transfer is noticed at most one part after the window's end.
    static let steps = 10
    static let crowdedSteps = 2

    private typealias Sample = (time: MonotonicTime, bytes: Int)

    private let limit: MinimumRate
    /// The last sample that is at least one window old, or the first one.
    private var oldest: Sample
    private var samples: [Sample] = []

    static func window(of limit: MinimumRate, isCrowded: Bool) -> Duration {
        isCrowded ? limit.window / steps * crowdedSteps : limit.window
    }

    init(_ limit: MinimumRate, at time: MonotonicTime) {
        self.limit = limit
        oldest = (time, 0)
    }

    mutating func restart(at time: MonotonicTime, bytes: Int) {
        oldest = (time, bytes)
        samples = []
    }

    /// Notes the number of bytes and checks the window that ends now. The window is shorter if the host
    /// already has the maximum number of slow transfers.
    mutating func isSlow(at time: MonotonicTime, bytes: Int, isCrowded: Bool = false) -> Bool {
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
