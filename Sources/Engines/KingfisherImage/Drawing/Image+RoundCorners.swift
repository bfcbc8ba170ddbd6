public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image scaled to `size` points with rounded, antialiased `corners`.
    ///
    /// `radius` is computed from `size` and limited to 0 to half the shorter side. Pixels outside the
    /// corners, and transparent pixels, show `backgroundColor` if given. The result is RGBA of the same depth
    /// and scale factor; an animation gives its first frame. Returns the image itself if `size` is not
    /// positive, not finite or above 100 megapixels, or if the radius is NaN. Works on the caller's thread.
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

    /// The image scaled to `size` points with `corners` rounded by `radius` points; see
    /// `image(withRadius:fit:roundingCorners:backgroundColor:)`.
    public func image(
        withRoundRadius radius: CGFloat, fit size: CGSize, roundingCorners corners: RectCorner = .all,
        backgroundColor: Color? = nil
    ) -> Image {
        image(
            withRadius: .point(radius), fit: size, roundingCorners: corners, backgroundColor: backgroundColor)
    }
}
