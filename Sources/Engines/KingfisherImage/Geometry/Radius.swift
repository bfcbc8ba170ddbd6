public import Foundation

/// The radius of a rounded corner, in points or proportional to the image.
public enum Radius: Sendable {
    /// A fraction of the width: 0.5 of a square makes a circle.
    case widthFraction(CGFloat)
    /// A fraction of the height.
    case heightFraction(CGFloat)
    /// A length in points.
    case point(CGFloat)

    /// The radius in points for an image of `size` points.
    public func compute(with size: CGSize) -> CGFloat {
        switch self {
        case .widthFraction(let fraction): size.width * fraction
        case .heightFraction(let fraction): size.height * fraction
        case .point(let length): length
        }
    }

    package var radiusIdentifier: String {
        switch self {
        case .widthFraction(let fraction): "w_frac_\(fraction)"
        case .heightFraction(let fraction): "h_frac_\(fraction)"
        case .point(let length): "\(length)"
        }
    }
}
