public import Foundation

/// How an image is fitted into its view; UIKit's names, numbers and meanings.
public enum ViewContentMode: Int, Sendable, CaseIterable {
    /// Stretched to the view, proportions lost.
    case scaleToFill
    /// As large as fits wholly, proportions kept, the rest transparent.
    case scaleAspectFit
    /// As small as covers the view, proportions kept, the rest cut off.
    case scaleAspectFill
    /// As `scaleToFill`; UIKit asks a view to draw anew here, which an image cannot.
    case redraw
    /// At its own size, in the middle.
    case center
    /// At its own size, in the middle of the upper side.
    case top
    /// At its own size, in the middle of the lower side.
    case bottom
    /// At its own size, in the middle of the left side.
    case left
    /// At its own size, in the middle of the right side.
    case right
    /// At its own size, in the upper left corner.
    case topLeft
    /// At its own size, in the upper right corner.
    case topRight
    /// At its own size, in the lower left corner.
    case bottomLeft
    /// At its own size, in the lower right corner.
    case bottomRight
}

extension ViewContentMode {
    /// Where content of `size` lies in a view of `bounds`, both in points, from the view's top left corner.
    ///
    /// May reach beyond the view, where it is cut off. Empty when either size is.
    public func frame(of size: CGSize, in bounds: CGSize) -> CGRect {
        guard size.width > 0, size.height > 0, bounds.width > 0, bounds.height > 0 else { return .zero }
        let fitted = fittedSize(of: size, in: bounds)
        let anchor = anchor
        return CGRect(
            x: (bounds.width - fitted.width) * anchor.x, y: (bounds.height - fitted.height) * anchor.y,
            width: fitted.width, height: fitted.height)
    }

    private func fittedSize(of size: CGSize, in bounds: CGSize) -> CGSize {
        let (horizontal, vertical) = (bounds.width / size.width, bounds.height / size.height)
        switch self {
        case .scaleToFill, .redraw: return bounds
        case .scaleAspectFit: return size.scaled(by: min(horizontal, vertical))
        case .scaleAspectFill: return size.scaled(by: max(horizontal, vertical))
        default: return size
        }
    }

    /// The share of the free room that lies left of and above the content.
    private var anchor: CGPoint {
        let x: CGFloat =
            switch self {
            case .left, .topLeft, .bottomLeft: 0
            case .right, .topRight, .bottomRight: 1
            default: 0.5
            }
        let y: CGFloat =
            switch self {
            case .top, .topLeft, .topRight: 0
            case .bottom, .bottomLeft, .bottomRight: 1
            default: 0.5
            }
        return CGPoint(x: x, y: y)
    }
}

extension CGSize {
    fileprivate func scaled(by factor: CGFloat) -> CGSize {
        CGSize(width: width * factor, height: height * factor)
    }
}
