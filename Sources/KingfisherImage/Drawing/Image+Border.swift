import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image with a line along the inside of its edge, antialiased.
    ///
    /// The line's outer edge is the image's, round at the border's corners by its radius, which is taken of
    /// the image's size and limited to half the shorter side; the inner edge runs parallel. What a round
    /// corner leaves outside stays as it is: round the image's corners by the same radius to cut it off. A
    /// translucent colour is drawn over the image. A line as wide as half the shorter side fills the shape.
    ///
    /// The result is 8-bit RGBA at the same scale; an animation gives its first frame. The image itself
    /// when the line has no width, or the width or radius is no number. Works on the caller's thread.
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
