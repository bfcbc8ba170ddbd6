import Foundation

/// Where an animation stands: a pure function of the time that has passed and of the frames at hand.
struct FrameTimeline: Hashable, Sendable {
    /// What happens beside a change of the frame.
    enum Event: Hashable, Sendable {
        /// The last frame has had its time, for the `count`th time.
        case loop(count: UInt)
        /// That was the last loop; the last frame stays.
        case finished
    }

    /// How far a late look may be behind, in seconds: who was asleep does not race through what was missed.
    static let maximumLateness: TimeInterval = 1
    /// Clocks add rounding errors to times that were meant to be equal.
    private static let tolerance: TimeInterval = 1e-6

    /// Seconds that each frame is shown.
    let durations: [TimeInterval]
    /// How often the animation plays; nil means for ever.
    let plays: UInt?
    /// The frame that is due.
    private(set) var index = 0
    /// How often the animation has been played to its end.
    private(set) var loops: UInt = 0
    /// Whether all loops have been played, or there is nothing to play.
    private(set) var isFinished: Bool
    /// Whether the next frame is due but not at hand; the current one stays until it is.
    private(set) var isHeld = false
    /// Seconds that the current frame has been due.
    private var elapsed: TimeInterval = 0

    /// Durations that are no positive time count as a tenth of a second, those below a millisecond as one.
    init(durations: [TimeInterval], plays: UInt?) {
        self.durations = durations.map(Self.playable)
        self.plays = plays
        isFinished = durations.count < 2 || plays == 0
    }

    /// Seconds until the next change; nil when there will be none.
    var timeToNextChange: TimeInterval? {
        isFinished ? nil : max(durations[index] - elapsed, 0)
    }

    /// Goes back to the first frame and counts loops anew.
    mutating func restart() {
        self = FrameTimeline(durations: durations, plays: plays)
    }

    /// Lets `step` seconds pass.
    ///
    /// `isAtHand` is asked for each frame on the way; the timeline stops before one that is not, and time
    /// spent waiting for it does not count.
    mutating func advance(by step: TimeInterval, isAtHand: (Int) -> Bool = { _ in true }) -> [Event] {
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
            guard isAtHand(next) else {
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
