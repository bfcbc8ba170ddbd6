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
    /// sRGB. The result is RGBA of the same depth, to which `mark` is converted; an animation gives its first
    /// frame. Returns the image itself if a number is not finite, or if `mark` is empty or transparent. Works
    /// on the caller's thread.
    public func watermarked(
        with mark: Image, anchorOn anchorPoint: CGPoint = CGPoint(x: 1, y: 1), margin: CGFloat = 0,
        opacity: CGFloat = 1
    ) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard margin.isFinite, abs(margin) < 1e6, !anchorPoint.x.isNaN,
                !anchorPoint.y.isNaN, let ink = mark.kf.pixels(at: base.scale)
            else { return nil }
            let inset = Int((margin * base.scale).rounded())
            func offset(_ length: Int, _ markLength: Int, _ anchor: CGFloat) -> Int {
                let room = Double(length - markLength - 2 * inset)
                return inset + Int((room * min(max(anchor, 0), 1)).rounded())
            }
            let x = offset(pixels.width, ink.width, anchorPoint.x)
            let y = offset(pixels.height, ink.height, anchorPoint.y)
            return switch pixels.format.depth {
            case .eight: try pixels.drawing(ink, x: x, y: y, UInt8(share: opacity))
            case .sixteen: try pixels.drawing(ink, x: x, y: y, UInt16(share: opacity))
            }
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
    /// Draws an image with its top left pixel at (`x`, `y`); nil if `opacity` is 0.
    fileprivate func drawing<Sample: KernelSample>(
        _ mark: PixelBuffer, x: Int, y: Int, _ opacity: Sample
    ) throws(ImageCodecError) -> PixelBuffer? {
        guard opacity > 0 else { return nil }
        let (source, mark) = (try premultiplied(format.depth), try mark.premultiplied(format.depth))
        let columns = max(x, 0)..<max(min(x + mark.width, width), max(x, 0))
        let rows = max(y, 0)..<max(min(y + mark.height, height), max(y, 0))
        let pixel = source.format.bytesPerPixel
        return try source.redrawn(as: source.format) { target, stride in
            for row in rows {
                let ink = mark.unsafeBase + (row - y) * mark.bytesPerRow + (columns.lowerBound - x) * pixel
                let below = target + row * stride + columns.lowerBound * pixel
                Sample.draw(
                    ink.assumingMemoryBound(to: Sample.self), columns.count, opacity,
                    below.assumingMemoryBound(to: Sample.self))
            }
        }
    }
}
