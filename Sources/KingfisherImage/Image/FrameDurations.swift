package import Foundation

/// How long each of an animation's decoded frames is shown.
package enum FrameDurations: Sendable {
    /// All alike; one run lasts so long, in seconds.
    case even(total: TimeInterval)
    /// Each as long as its file says, in seconds.
    case each([TimeInterval])

    /// Seconds of one run.
    package var total: TimeInterval {
        switch self {
        case .even(let total): total
        case .each(let durations): durations.reduce(0, +)
        }
    }

    /// Seconds of each of `count` frames.
    package func list(of count: Int) -> [TimeInterval] {
        switch self {
        case .even(let total): Array(repeating: total / Double(max(count, 1)), count: count)
        case .each(let durations): durations
        }
    }
}

extension Image {
    /// Seconds that each of `images` is shown; nil without them.
    package var frameDurations: [TimeInterval]? {
        guard case .frames(let frames, let durations) = representation else { return nil }
        return durations.list(of: frames.count)
    }
}
