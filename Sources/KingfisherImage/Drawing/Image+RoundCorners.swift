public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image stretched to `size` points, its `corners` cut round and antialiased.
    ///
    /// `radius` is taken of `size` and limited to 0 and half the shorter side. What is cut off, and what the
    /// image leaves transparent, shows `backgroundColor` where given. The result is 8-bit RGBA at the same
    /// scale; an animation gives its first frame. The image itself when `size` is not positive, not finite
    /// or above 100 megapixels, or the radius is no number. Works on the caller's thread.
    public func image(
        withRadius radius: Radius, fit size: CGSize, roundingCorners corners: RectCorner = .all,
        backgroundColor: Color? = nil
    ) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let pixelRadius = radius.compute(with: size) * base.scale
            guard !pixelRadius.isNaN, let target = PixelSize(points: size, scale: base.scale) else {
                return nil
            }
            return try pixels.resized(to: target)
                .roundedCorners(corners, radius: pixelRadius, background: backgroundColor)
        }
    }

    /// The image stretched to `size` points, its `corners` cut round by `radius` points; see
    /// `image(withRadius:fit:roundingCorners:backgroundColor:)`.
    public func image(
        withRoundRadius radius: CGFloat, fit size: CGSize, roundingCorners corners: RectCorner = .all,
        backgroundColor: Color? = nil
    ) -> Image {
        image(
            withRadius: .point(radius), fit: size, roundingCorners: corners, backgroundColor: backgroundColor)
    }
}
