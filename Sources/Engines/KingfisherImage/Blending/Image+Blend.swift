public import Foundation

extension KingfisherWrapper where Base == Image {
    /// Returns the image blended by `blendMode` with a canvas of its size, which is transparent or filled
    /// with `backgroundColor`.
    ///
    /// `alpha` multiplies the image's alpha. It is clamped to 0...1, and NaN counts as 1. The result is 8-bit
    /// RGBA at the same scale; for an animation, it is the first frame. Works on the caller's thread, on
    /// gamma-encoded sRGB values, as Core Graphics does in a device RGB bitmap.
    public func image(
        withBlendMode blendMode: BlendMode, alpha: CGFloat = 1.0, backgroundColor: Color? = nil
    ) -> Image {
        let backdrop = backgroundColor?.premultipliedRGBA8 ?? .zero
        let opacity = alpha.isNaN ? 1 : min(max(Double(alpha), 0), 1)
        return base.drawn { pixels throws(ImageCodecError) in
            try pixels.blended(blendMode, over: backdrop, opacity: opacity)
        }
    }
}
