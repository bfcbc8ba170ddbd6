public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image under a layer of `color`, which is visible only where the image is opaque.
    ///
    /// `fraction` is how much of the image shows through: 0 leaves only the colour, in the shape of the
    /// image, 1 only the image. It is clamped to 0...1. The colour's alpha also applies. The image's
    /// transparency is kept ("source atop" of the W3C's Compositing and Blending).
    ///
    /// The result is RGBA of the same depth and scale; an animation gives its first frame. Returns the image
    /// itself if the layer is transparent or `fraction` is NaN. Works on the caller's thread.
    public func overlaying(with color: Color, fraction: CGFloat) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard !fraction.isNaN else { return nil }
            let opacity = 1 - min(max(fraction, 0), 1)
            let ink = color.withAlphaComponent(color.alpha * opacity)
            return switch pixels.format.depth {
            case .eight: try pixels.overlaid(ink.premultipliedRGBA() as SIMD4<UInt8>)
            case .sixteen: try pixels.overlaid(ink.premultipliedRGBA() as SIMD4<UInt16>)
            }
        }
    }
}

extension PixelBuffer {
    fileprivate func overlaid<Sample: KernelSample>(
        _ ink: SIMD4<Sample>
    ) throws(ImageCodecError) -> PixelBuffer? {
        guard ink.w > 0 else { return nil }
        return try premultiplied(format.depth).mapped(by: Sample.overlay(ink.samples))
    }
}
