public import Foundation

/// The position of a subview in its superview, in points.
public enum ViewPlacement: Hashable, Sendable {
    /// Fills the superview.
    case fill
    /// Centred, moved by `offset`, with `size`; nil means the subview's natural size.
    ///
    /// The offset is to the right and downwards; in a right-to-left layout to the left and downwards.
    case center(size: CGSize? = nil, offset: CGPoint = .zero)
}
