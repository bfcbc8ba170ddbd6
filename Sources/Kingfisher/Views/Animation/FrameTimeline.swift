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

    let durations: [TimeInterval]
    /// The number of plays; nil means forever.
    let plays: UInt?
    private(set) var index = 0
    private(set) var loops: UInt = 0
    private(set) var isFinished: Bool
    /// Whether the next frame is due but not decoded; the current one stays until it is.
    private(set) var isHeld = false
    private var elapsed: TimeInterval = 0

    /// A duration that is not positive counts as a tenth of a second, one below a millisecond as one
    /// millisecond.
    init(durations: [TimeInterval], plays: UInt?) {
        self.durations = durations.map(Self.playable)
        self.plays = plays
        isFinished = durations.count < 2 || plays == 0
    }

    var timeToNextChange: TimeInterval? {
        isFinished ? nil : max(durations[index] - elapsed, 0)
    }

    mutating func restart() {
        self = FrameTimeline(durations: durations, plays: plays)
    }

    /// Advances by `step` seconds.
    ///
    /// `isReady` is called for each frame on the way. The timeline stops before one that is not ready, and
    /// the time spent waiting for it does not count.
    mutating func advance(by step: TimeInterval, isReady: (Int) -> Bool = { _ in true }) -> [Event] {
        guard let wait = timeToNextChange else { return [] }
        var rest = isHeld ? 0 : min(max(step, 0), wait + Self.maximumLateness)
        var events: [Event] = []
        isHeld = false
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
                isHeld = true
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

    private static func playable(_ duration: TimeInterval) -> TimeInterval {
        duration > 0 ? max(duration, 0.001) : 0.1
    }
}
