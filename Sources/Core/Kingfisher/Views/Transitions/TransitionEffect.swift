/// The visual effect of a transition.
public enum TransitionEffect: Hashable, Sendable {
    /// The new image is visible from the start.
    case none
    /// The old image dissolves into the new one.
    case crossDissolve
    /// The view flips like a card, with the new image on its back. `FlipPose` has the geometry.
    case flip(FlipDirection)
}

/// The side of a view that comes towards the viewer during a flip.
public enum FlipDirection: Hashable, Sendable, CaseIterable {
    /// The left side.
    case fromLeft
    /// The right side.
    case fromRight
    /// The upper side.
    case fromTop
    /// The lower side.
    case fromBottom
}

extension TransitionEffect {
    /// The effect in a layout of this direction: as in GTK, left and right are exchanged from right to left.
    func following(_ direction: LayoutDirection) -> TransitionEffect {
        switch (self, direction) {
        case (.flip(.fromLeft), .rightToLeft): .flip(.fromRight)
        case (.flip(.fromRight), .rightToLeft): .flip(.fromLeft)
        default: self
        }
    }
}
