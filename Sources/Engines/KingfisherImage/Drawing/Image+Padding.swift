public import Foundation
import Glibc

extension KingfisherWrapper where Base == Image {
    /// The image on a canvas of `size` points, of one colour, at the same scale.
    ///
    /// `anchorPoint` is the position of the image: (0, 0) is the top left, (1, 1) the bottom right; it is
    /// clamped to 0...1. A side of the canvas that is shorter than the image's is extended to it. The colour
    /// fills only the added area, not the transparent parts of the image.
    ///
    /// The result is RGBA of the same depth; an animation gives its first frame. Returns the image itself if
    /// nothing is added, if a number is not finite or not positive, or above 100 megapixels. Works on the
    /// caller's thread.
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
            return try pixels.placed(
                on: canvas, left: Self.offset(of: pixels.width, in: canvas.width, anchorPoint.x),
                top: Self.offset(of: pixels.height, in: canvas.height, anchorPoint.y), color)
        }
    }

    /// The image with edges of one colour, in points, at the same scale.
    ///
    /// Otherwise as `padded(to:anchorOn:color:)`. Returns the image itself also if an edge is negative.
    public func padded(
        top: CGFloat, right: CGFloat, bottom: CGFloat, left: CGFloat, color: Color = .clear
    ) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let edges = [top, right, bottom, left].map { ($0 * base.scale).rounded() }
            let limit = CGFloat(ImageLimits.maximumPixels)
            guard edges.allSatisfy({ $0 >= 0 && $0 <= limit }), edges.contains(where: { $0 > 0 }) else {
                return nil
            }
            let canvas = PixelSize(
                width: pixels.width + Int(edges[1] + edges[3]),
                height: pixels.height + Int(edges[0] + edges[2]))
            return try pixels.placed(on: canvas, left: Int(edges[3]), top: Int(edges[0]), color)
        }
    }

    private static func offset(of length: Int, in whole: Int, _ anchor: CGFloat) -> Int {
        Int((Double(whole - length) * min(max(anchor, 0), 1)).rounded())
    }
}

extension PixelBuffer {
    /// The image on a canvas, which is at least as large at its place, as RGBA of the same depth.
    fileprivate func placed(
        on canvas: PixelSize, left: Int, top: Int, _ color: Color
    ) throws(ImageCodecError) -> PixelBuffer {
        switch format.depth {
        case .eight: try placed(on: canvas, left: left, top: top, color.premultipliedRGBA() as SIMD4<UInt8>)
        case .sixteen:
            try placed(on: canvas, left: left, top: top, color.premultipliedRGBA() as SIMD4<UInt16>)
        }
    }

    private func placed<Sample: FixedWidthInteger>(
        on canvas: PixelSize, left: Int, top: Int, _ ink: SIMD4<Sample>
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied(format.depth)
        let format = ink.w == .max ? source.format : source.format.premultiplied
        let bytes = format.bytesPerPixel
        return try PixelBuffer.decoding(canvas, format: format) { rows, stride in
            let first = rows.bindMemory(to: SIMD4<Sample>.self, capacity: canvas.width)
            first.update(repeating: ink, count: canvas.width)
            for y in 1..<max(canvas.height, 1) { memcpy(rows + y * stride, rows, canvas.width * bytes) }
            for y in 0..<height {
                memcpy(
                    rows + (top + y) * stride + left * bytes,
                    source.unsafeBase + y * source.bytesPerRow, width * bytes)
            }
        }
    }
}
