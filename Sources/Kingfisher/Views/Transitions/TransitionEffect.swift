/// What the eye sees while one image gives way to another.
public enum TransitionEffect: Hashable, Sendable {
    /// The new image from the first moment on.
    case none
    /// The old image melts into the new one.
    case crossDissolve
    /// The view turns over like a card; the new image is on its back. `FlipPose` has the geometry.
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
