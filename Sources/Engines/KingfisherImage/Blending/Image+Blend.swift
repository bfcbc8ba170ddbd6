public import Foundation

extension KingfisherWrapper where Base == Image {
    /// Returns the image blended by `blendMode` with a canvas of its size, which is transparent or filled
    /// with `backgroundColor`.
    ///
    /// `alpha` multiplies the image's alpha. It is clamped to 0...1, and NaN counts as 1. The result is RGBA
    /// of the same depth and scale; for an animation, it is the first frame. Works on the caller's thread, on
    /// gamma-encoded sRGB values, as Core Graphics does in a device RGB bitmap.
    public func image(
        withBlendMode blendMode: BlendMode, alpha: CGFloat = 1.0, backgroundColor: Color? = nil
    ) -> Image {
        let canvas = backgroundColor ?? .clear
        let opacity = alpha.isNaN ? 1 : min(max(Double(alpha), 0), 1)
        return base.drawn { pixels throws(ImageCodecError) in
            switch pixels.format.depth {
            case .eight:
                try pixels.blended(
                    blendMode, over: canvas.premultipliedRGBA() as SIMD4<UInt8>, opacity: opacity)
            case .sixteen:
                try pixels.blended(
                    blendMode, over: canvas.premultipliedRGBA() as SIMD4<UInt16>, opacity: opacity)
            }
        }
    }
}
