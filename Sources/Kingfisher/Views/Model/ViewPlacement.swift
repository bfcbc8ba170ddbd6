public import Foundation

/// Where a subview lies in its superview, in points.
public enum ViewPlacement: Hashable, Sendable {
    /// Over the whole superview.
    case fill
    /// In the middle, moved by `offset`, at `size`; nil takes the subview's own size.
    case center(size: CGSize? = nil, offset: CGPoint = .zero)
}
