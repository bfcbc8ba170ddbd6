public import Foundation
public import KingfisherImage

/// A transition under way: all that a toolkit needs to draw any moment of it.
public struct RunningTransition: Sendable {
    /// The picture that was shown before; nil for none.
    public let from: Image?
    /// The picture that will be shown; nil for none.
    public let to: Image?
    /// The way from one to the other.
    public let kind: ImageTransition
    /// When it began, in seconds of the view's clock.
    public let start: TimeInterval

    /// A transition of `kind` that begins at `start`, in seconds of the view's clock.
    public init(from: Image?, to: Image?, kind: ImageTransition, start: TimeInterval) {
        self.from = from
        self.to = to
        self.kind = kind
        self.start = start
    }

    /// How far it has come at `time`: from 0 to 1, evenly.
    public func progress(at time: TimeInterval) -> Double {
        guard kind.duration > 0 else { return 1 }
        return min(max((time - start) / kind.duration, 0), 1)
    }
}
