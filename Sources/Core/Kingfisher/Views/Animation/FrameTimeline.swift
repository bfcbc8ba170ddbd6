import Foundation

/// The playback position of an animation. A pure function of the elapsed time and of the decoded frames.
struct FrameTimeline: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        case loop(count: UInt)
        case finished
    }

    /// The maximum lateness in seconds: after a long pause, missed frames are not played in fast motion.
    static let maximumLateness: TimeInterval = 1
    /// Tolerates rounding errors between times that should be equal.
    private static let tolerance: TimeInterval = 1e-6

    private enum Hold: Hashable, Sendable {
        /// The next frame is due but not decoded.
        case next
        /// The current frame was sought and is not decoded.
        case current
    }

    let durations: [TimeInterval]
    /// The number of plays; nil means forever.
    let plays: UInt?
    private(set) var index = 0
    private(set) var loops: UInt = 0
    private(set) var isFinished: Bool
    /// Seconds of the animation per second; 0 pauses.
    var rate = 1.0
    private var hold: Hold?
    private var elapsed: TimeInterval = 0

    /// A duration that is not positive counts as a tenth of a second, one below a millisecond as one
    /// millisecond.
    init(durations: [TimeInterval], plays: UInt?) {
        self.durations = durations.map(Self.playable)
        self.plays = plays
        isFinished = durations.count < 2 || plays == 0
    }

    /// Whether a frame that is due is not decoded; the visible one stays, and no time passes, until it is.
    var isHeld: Bool { hold != nil }

    /// In seconds at the current rate; nil after the end.
    var timeToNextChange: TimeInterval? {
        guard !isFinished else { return nil }
        return rate > 0 ? max(durations[index] - elapsed, 0) / rate : .infinity
    }

    mutating func restart() {
        let rate = rate
        self = FrameTimeline(durations: durations, plays: plays)
        self.rate = rate
    }

    /// Advances by `step` seconds.
    ///
    /// `isReady` is called for each frame on the way. The timeline stops before one that is not ready, and
    /// the time spent waiting for it does not count.
    mutating func advance(by step: TimeInterval, isReady: (Int) -> Bool = { _ in true }) -> [Event] {
        guard let wait = timeToNextChange else { return [] }
        if hold == .current, !isReady(index) { return [] }
        var rest = isHeld ? 0 : min(max(step, 0), wait + Self.maximumLateness) * rate
        guard rate > 0 else {
            currentIsReady()
            return []
        }
        var events: [Event] = []
        hold = nil
        while !isFinished {
            let wait = durations[index] - elapsed
            guard rest + Self.tolerance >= wait else {
                elapsed += rest
                break
            }
            let isLast = index == durations.count - 1
            if isLast, plays == loops + 1 {
                loops += 1
                isFinished = true
                events += [.loop(count: loops), .finished]
                break
            }
            let next = isLast ? 0 : index + 1
            guard isReady(next) else {
                elapsed = durations[index]
                hold = .next
                break
            }
            if isLast {
                loops += 1
                events.append(.loop(count: loops))
            }
            rest = max(rest - wait, 0)
            (index, elapsed) = (next, 0)
        }
        return events
    }

    /// Adds `step` seconds to the current frame, at most up to its end.
    mutating func stay(for step: TimeInterval) {
        guard !isHeld, !isFinished else { return }
        elapsed = min(elapsed + max(step, 0) * rate, durations[index])
    }

    // MARK: Seeking

    /// Seconds of one loop.
    var duration: TimeInterval { durations.reduce(0, +) }

    /// Seconds from the start of the loop.
    var position: TimeInterval { durations[..<index].reduce(0, +) + elapsed }

    /// Moves to a frame of the current loop, at `offset` seconds after its start. Both are clamped.
    ///
    /// Reports no event. The timeline waits until the frame is ready. After the end, it moves within the last
    /// loop, which then ends again.
    mutating func seek(toFrame target: Int, offset: TimeInterval = 0) {
        guard !durations.isEmpty else { return }
        index = min(max(target, 0), durations.count - 1)
        elapsed = offset > 0 ? min(offset, durations[index]) : 0
        hold = .current
        if isFinished, loops > 0 {
            isFinished = false
            loops -= 1
        }
    }

    /// Moves to the frame at `time` in the current loop; see `seek(toFrame:offset:)`.
    mutating func seek(to time: TimeInterval) {
        var (target, rest) = (0, time > 0 ? time : 0)
        while target < durations.count - 1, rest + Self.tolerance >= durations[target] {
            rest = max(rest - durations[target], 0)
            target += 1
        }
        seek(toFrame: target, offset: rest)
    }

    /// Ends waiting for a frame that was sought.
    mutating func currentIsReady() {
        if hold == .current { hold = nil }
    }

    private static func playable(_ duration: TimeInterval) -> TimeInterval {
        duration > 0 ? max(duration, 0.001) : 0.1
    }
}
