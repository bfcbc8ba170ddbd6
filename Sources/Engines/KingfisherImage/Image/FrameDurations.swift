package import Foundation

/// How long each of an animation's decoded frames is shown, in seconds; `total` is the duration of one loop.
package enum FrameDurations: Sendable {
    case even(total: TimeInterval)
    case each([TimeInterval])

    package var total: TimeInterval {
        switch self {
        case .even(let total): total
        case .each(let durations): durations.reduce(0, +)
        }
    }

    package func list(of count: Int) -> [TimeInterval] {
        switch self {
        case .even(let total): Array(repeating: total / Double(max(count, 1)), count: count)
        case .each(let durations): durations
        }
    }
}

extension Image {
    package var frameDurations: [TimeInterval]? {
        guard case .frames(let frames, let durations) = representation else { return nil }
        return durations.list(of: frames.count)
    }
}
