public import Foundation

/// The geometry of a view at one moment of a flip, in which it turns over like a card.
///
/// The card rotates by 180 degrees about a centre line of the view. The old image is on its front; the new
/// one is on its back, not mirrored.
public struct FlipPose: Hashable, Sendable {
    /// The centre line that the view rotates about.
    public enum Axis: Hashable, Sendable {
        /// From left to right.
        case horizontal
        /// From top to bottom.
        case vertical
    }

    /// The centre line that the view rotates about.
    public let axis: Axis
    /// Whether the new image is visible; otherwise the old one.
    public let showsNew: Bool
    /// The rotation of the visible image about `axis` in degrees, from -90 to 90. At 0 it faces the viewer;
    /// at 90 and -90 only its edge does.
    ///
    /// The sign is the same as for `rotateX` and `rotateY` in CSS (y points down, z towards the viewer): a
    /// positive angle brings the left or the lower side forward.
    public let angle: Double
    /// The apparent width of the image across `axis` without perspective, as a fraction from 0 to 1.
    public let foreshortening: Double

    /// Creates the pose at `progress`, which is clamped to 0 to 1.
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
        // The cosine of the angle, in a form that is exactly 0 in the middle.
        foreshortening = abs(sin((0.5 - progress) * .pi))
    }

    /// The distance of the viewer's eye from a view of `size`, in points. Near enough for visible depth; far
    /// enough that a side that comes forward grows by at most a third.
    public static func eyeDistance(from size: CGSize) -> CGFloat {
        2 * max(size.width, size.height)
    }
}
