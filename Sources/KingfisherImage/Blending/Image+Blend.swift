public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image drawn by `blendMode` on a canvas of its size, which is transparent or filled with
    /// `backgroundColor`.
    ///
    /// `alpha` weighs the image's own: it is limited to 0...1, and counts as 1 when it is not a number. The
    /// result is 8-bit RGBA at the same scale; an animation gives its first frame. Works on the caller's
    /// thread, in sRGB as it is encoded, as Core Graphics does in a bitmap of the device's colours.
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
