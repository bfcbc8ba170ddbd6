import Foundation

/// The start times of an animation's frames, and the seconds from one frame to the next display of another.
struct FrameLoop: Sendable {
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

    func time(from index: Int, to other: Int) -> TimeInterval {
        let time = starts[other] - starts[index]
        return time < 0 ? time + total : time
    }

    func steps(from index: Int, to other: Int) -> Int {
        other >= index ? other - index : other - index + count
    }
}
