public import Foundation

/// How an image is fitted into its view, with UIKit's names, raw values and meanings.
public enum ViewContentMode: Int, Sendable, CaseIterable {
    /// Stretched to the view; the aspect ratio changes.
    case scaleToFill
    /// The largest size that fits into the view, with the same aspect ratio; the rest is transparent.
    case scaleAspectFit
    /// The smallest size that covers the view, with the same aspect ratio; the rest is cropped.
    case scaleAspectFill
    /// Same as `scaleToFill`; in UIKit the view redraws its content.
    case redraw
    /// At its natural size, centred.
    case center
    /// At its natural size, centred along the upper side.
    case top
    /// At its natural size, centred along the lower side.
    case bottom
    /// At its natural size, centred along the left side.
    case left
    /// At its natural size, centred along the right side.
    case right
    /// At its natural size, in the upper left corner.
    case topLeft
    /// At its natural size, in the upper right corner.
    case topRight
    /// At its natural size, in the lower left corner.
    case bottomLeft
    /// At its natural size, in the lower right corner.
    case bottomRight
}

extension ViewContentMode {
    /// Returns the frame of content of `size` in a view of `bounds`, both in points, from the view's top left
    /// corner.
    ///
    /// It may extend beyond the view, where it is cropped. It is empty if either size is.
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

    /// The fraction of the free space that is left of and above the content.
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
