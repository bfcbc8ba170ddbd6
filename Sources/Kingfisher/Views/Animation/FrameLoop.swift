import Foundation

/// The order in which an animation's frames come, in time: how long until one is wanted again.
struct FrameLoop: Sendable {
    /// When each frame begins, in seconds from the first.
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

    /// Seconds from the beginning of `index` to the next beginning of `other`; 0 for the same frame.
    func time(from index: Int, to other: Int) -> TimeInterval {
        let time = starts[other] - starts[index]
        return time < 0 ? time + total : time
    }

    /// Frames from `index` on to `other`.
    func steps(from index: Int, to other: Int) -> Int {
        other >= index ? other - index : other - index + count
    }
}
