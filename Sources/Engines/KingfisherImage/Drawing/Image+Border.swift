import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image with an antialiased line along the inside of its edge.
    ///
    /// The line's outer edge is the image's edge, rounded at the border's corners. The radius is computed
    /// from the image's size and limited to half the shorter side; the inner edge is parallel. Pixels outside
    /// a rounded corner are unchanged: round the image's corners by the same radius to remove them. A
    /// translucent colour is drawn over the image. A line as wide as half the shorter side fills the shape.
    ///
    /// The result is RGBA of the same depth and scale; an animation gives its first frame. Returns the image
    /// itself if the line has no width, or if width or radius is NaN. Works on the caller's thread.
    public func addingBorder(_ border: Border) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let width = border.lineWidth * base.scale
            let radius = border.radius.compute(with: base.size) * base.scale
            guard width > 0, !radius.isNaN else { return nil }
            return try pixels.bordered(
                width: width, radius: radius, corners: border.roundingCorners, color: border.color)
        }
    }
}
