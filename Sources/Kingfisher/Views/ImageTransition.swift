public import Foundation

/// How a view goes from the picture it shows to the one that has been loaded.
public enum ImageTransition: Sendable {
    /// At once.
    case none
    /// The old picture melts into the new one within so many seconds.
    case fade(TimeInterval)

    /// How long it takes, in seconds.
    public var duration: TimeInterval {
        switch self {
        case .none: 0
        case .fade(let duration): max(duration, 0)
        }
    }
}
