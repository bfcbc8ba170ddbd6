package import Foundation

/// How long each of an animation's decoded frames is shown.
package enum FrameDurations: Sendable {
    /// All equal; `total` is one loop in seconds.
    case even(total: TimeInterval)
    /// One duration per frame, in seconds.
    case each([TimeInterval])

    /// Seconds of one loop.
    package var total: TimeInterval {
        switch self {
        case .even(let total): total
        case .each(let durations): durations.reduce(0, +)
        }
    }

    /// The duration in seconds of each of `count` frames.
    package func list(of count: Int) -> [TimeInterval] {
        switch self {
        case .even(let total): Array(repeating: total / Double(max(count, 1)), count: count)
        case .each(let durations): durations
        }
    }
}

extension Image {
    /// The duration in seconds of each of `images`; nil without them.
    package var frameDurations: [TimeInterval]? {
        guard case .frames(let frames, let durations) = representation else { return nil }
        return durations.list(of: frames.count)
    }
}
