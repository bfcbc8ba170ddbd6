public import Foundation
import Glibc

extension KingfisherWrapper where Base == Image {
    /// The image on a canvas of `size` points, of one colour, at the same scale.
    ///
    /// `anchorPoint` is the position of the image: (0, 0) is the top left, (1, 1) the bottom right; it is
    /// clamped to 0...1. A side of the canvas that is shorter than the image's is extended to it. The colour
    /// fills only the added area, not the transparent parts of the image.
    ///
    /// The result is 8-bit RGBA; an animation gives its first frame. Returns the image itself if nothing is
    /// added, if a number is not finite or not positive, or above 100 megapixels. Works on the caller's
    /// thread.
    public func padded(
        to size: CGSize, anchorOn anchorPoint: CGPoint = CGPoint(x: 0.5, y: 0.5), color: Color = .clear
    ) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard !anchorPoint.x.isNaN, !anchorPoint.y.isNaN,
                let wanted = PixelSize(points: size, scale: base.scale)
            else { return nil }
            let canvas = PixelSize(
                width: max(wanted.width, pixels.width), height: max(wanted.height, pixels.height))
            guard canvas != pixels.size else { return nil }
            return try pixels.padded(to: canvas, anchor: anchorPoint, color.premultipliedRGBA8)
        }
    }
}

extension PixelBuffer {
    fileprivate func padded(
        to canvas: PixelSize, anchor: CGPoint, _ ink: SIMD4<UInt8>
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let left = Self.offset(of: width, in: canvas.width, anchor.x)
        let top = Self.offset(of: height, in: canvas.height, anchor.y)
        let isOpaque = source.format.isOpaque && ink.w == 255
        let format = isOpaque ? PixelFormat.rgba8Opaque : .rgba8Premultiplied
        return try PixelBuffer.decoding(canvas, format: format) { rows, stride in
            let first = rows.bindMemory(to: SIMD4<UInt8>.self, capacity: canvas.width)
            first.update(repeating: ink, count: canvas.width)
            for y in 1..<max(canvas.height, 1) { memcpy(rows + y * stride, rows, canvas.width * 4) }
            for y in 0..<height {
                memcpy(
                    rows + (top + y) * stride + left * 4, source.unsafeBase + y * source.bytesPerRow,
                    width * 4)
            }
        }
    }

    fileprivate static func offset(of length: Int, in whole: Int, _ anchor: CGFloat) -> Int {
        Int((Double(whole - length) * min(max(anchor, 0), 1)).rounded())
    }
}
