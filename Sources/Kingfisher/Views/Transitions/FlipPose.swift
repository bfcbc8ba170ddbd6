public import Foundation

/// How a view stands at a moment of turning over like a card: the whole geometry of a flip.
///
/// The card turns by half a circle about the middle line of the view. On its front is the old image, on its
/// back, the right way round, the new one.
public struct FlipPose: Hashable, Sendable {
    /// The middle line that the view turns about.
    public enum Axis: Hashable, Sendable {
        /// From left to right.
        case horizontal
        /// From top to bottom.
        case vertical
    }

    /// The middle line that the view turns about.
    public let axis: Axis
    /// Whether the new image is the one to be seen; else the old one.
    public let showsNew: Bool
    /// By how many degrees the image to be seen is turned about `axis`, from -90 to 90; at 0 it faces the
    /// beholder, at 90 and -90 only its edge does.
    ///
    /// The sign is that of `rotateX` and `rotateY` in CSS (y points down, z to the beholder): more than 0
    /// brings the left side forward, or the lower one.
    public let angle: Double
    /// How broad the image looks across `axis`, from 0 to 1 of its breadth, where there is no perspective.
    public let foreshortening: Double

    /// The pose when `progress` (from 0 to 1, taken as the nearer end outside) of the way is covered.
    public init(_ direction: FlipDirection, progress: Double) {
        let progress = min(max(progress, 0), 1)
        showsNew = progress >= 0.5
        let turn = 180 * (showsNew ? progress - 1 : progress)
        (axis, angle) =
            switch direction {
            case .fromLeft: (.vertical, turn)
            case .fromRight: (.vertical, -turn)
            case .fromTop: (.horizontal, -turn)
            case .fromBottom: (.horizontal, turn)
            }
        // The cosine of the turn, in a form that is exactly 0 in the middle.
        foreshortening = abs(sin((0.5 - progress) * .pi))
    }

    /// How far the beholder's eye is from a view of `size`, in points: near enough to see depth, far enough
    /// that a side which comes forward grows by a third at most.
    public static func eyeDistance(from size: CGSize) -> CGFloat {
        2 * max(size.width, size.height)
    }
}
