/// What the eye sees while one picture gives way to another.
public enum TransitionEffect: Hashable, Sendable {
    /// The new picture from the first moment on.
    case none
    /// The old picture melts into the new one.
    case crossDissolve
    /// The view turns over like a card; the new picture is on its back. `FlipPose` has the geometry.
    case flip(FlipDirection)
}

/// Which side of a view comes towards the beholder while it turns over.
public enum FlipDirection: Hashable, Sendable, CaseIterable {
    /// The left one.
    case fromLeft
    /// The right one.
    case fromRight
    /// The upper one.
    case fromTop
    /// The lower one.
    case fromBottom
}
