import Foundation

/// The times of an animation's frames: how long until each is shown again.
struct FrameLoop: Sendable {
    /// The start of each frame, in seconds from the first.
    private let starts: [TimeInterval]
    private let total: TimeInterval

    init(durations: [TimeInterval]) {
        var time: TimeInterval = 0
        starts = durations.map { duration in
            defer { time += duration }
            return time
        }
        total = time
    }

    var count: Int { starts.count }

    /// Seconds from the start of `index` to the next start of `other`; 0 for the same frame.
    func time(from index: Int, to other: Int) -> TimeInterval {
        let time = starts[other] - starts[index]
        return time < 0 ? time + total : time
    }

    /// The number of frames from `index` forwards to `other`.
    func steps(from index: Int, to other: Int) -> Int {
        other >= index ? other - index : other - index + count
    }
}
