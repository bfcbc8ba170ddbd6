import Foundation

/// The speed of a scroll position, from its values at the last frames.
struct ScrollSpeed {
    /// A sixth of a second at 60 frames per second: longer than the pauses of a wheel that turns fast.
    private static let frames = 10

    private var samples: [(time: TimeInterval, value: Double)] = []

    /// Whether the position has not changed for several frames.
    var isAtRest: Bool {
        samples.isEmpty || samples.count == Self.frames && samples.allSatisfy { $0.value == samples[0].value }
    }

    /// In points per second. The first change after a rest is a jump, which has no speed.
    var value: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return abs(last.value - first.value) / (last.time - first.time)
    }

    mutating func frame(at time: TimeInterval, value: Double) {
        if samples.count == Self.frames { samples.removeFirst() }
        samples.append((time, value))
    }

    mutating func rest() {
        samples = []
    }
}
