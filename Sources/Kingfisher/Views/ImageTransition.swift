public import Foundation

/// How a view changes from what it shows to a new picture.
public enum ImageTransition: Sendable {
    /// At once.
    case none
    /// The new picture fades in within so many seconds.
    case fade(TimeInterval)

    /// How long the change takes, in seconds.
    package var duration: TimeInterval {
        switch self {
        case .none: 0
        case .fade(let duration): duration
        }
    }
}
