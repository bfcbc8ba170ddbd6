import CKernels
public import Foundation
import Glibc

extension KingfisherWrapper where Base == Image {
    /// The image with another image drawn over it, at its own size in points.
    ///
    /// `anchorPoint` is the position of `mark` inside the image less a `margin` in points: (0, 0) is the top
    /// left, (1, 1) the bottom right; it is clamped to 0...1. `opacity` in 0...1 multiplies the alpha of
    /// `mark`. Parts outside the image are not drawn. A `mark` of another scale is resampled.
    ///
    /// The colours are combined as "source over" of the W3C's Compositing and Blending, on gamma-encoded
    /// sRGB. The result is 8-bit RGBA; an animation gives its first frame. Returns the image itself if a
    /// number is not finite, or if `mark` is empty or transparent. Works on the caller's thread.
    public func watermarked(
        with mark: Image, anchorOn anchorPoint: CGPoint = CGPoint(x: 1, y: 1), margin: CGFloat = 0,
        opacity: CGFloat = 1
    ) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let strength = opacity.isNaN ? 0 : UInt8((min(max(opacity, 0), 1) * 255).rounded())
            guard strength > 0, margin.isFinite, abs(margin) < 1e6, !anchorPoint.x.isNaN,
                !anchorPoint.y.isNaN, let ink = mark.kf.pixels(at: base.scale)
            else { return nil }
            let inset = Int((margin * base.scale).rounded())
            func offset(_ length: Int, _ markLength: Int, _ anchor: CGFloat) -> Int {
                let room = Double(length - markLength - 2 * inset)
                return inset + Int((room * min(max(anchor, 0), 1)).rounded())
            }
            return try pixels.drawing(
                ink.premultiplied(), x: offset(pixels.width, ink.width, anchorPoint.x),
                y: offset(pixels.height, ink.height, anchorPoint.y), opacity: strength)
        }
    }

    /// The upright pixels at another scale; nil for an empty image.
    fileprivate func pixels(at scale: CGFloat) -> PixelBuffer? {
        guard let upright = normalized.pixels, scale != base.scale else { return normalized.pixels }
        let size = PixelSize(
            points: CGSize(width: CGFloat(upright.width), height: CGFloat(upright.height)),
            scale: scale / base.scale)
        return size.flatMap { try? upright.resized(to: $0) }
    }
}

extension PixelBuffer {
    /// Draws an image of 8-bit premultiplied RGBA with its top left pixel at (`x`, `y`).
    func drawing(
        _ mark: PixelBuffer, x: Int, y: Int, opacity: UInt8
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let columns = max(x, 0)..<max(min(x + mark.width, width), max(x, 0))
        let rows = max(y, 0)..<max(min(y + mark.height, height), max(y, 0))
        return try source.redrawn(as: source.format) { target, stride in
            for row in rows {
                let ink = mark.unsafeBase + (row - y) * mark.bytesPerRow + (columns.lowerBound - x) * 4
                kf_draw(
                    KernelLevel.current.native, ink.assumingMemoryBound(to: UInt8.self), columns.count,
                    opacity, target + row * stride + columns.lowerBound * 4)
            }
        }
    }
}
