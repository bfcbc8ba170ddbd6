import CKernels
import Glibc

extension PixelBuffer {
    /// The picture with the named corners cut round, antialiased, over `background` where given.
    ///
    /// 8-bit RGBA. `radius` is in pixels and at most half the shorter side, as far as circles can go.
    func roundedCorners(
        _ corners: RectCorner, radius: Double, background: Color?
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let limited = min(max(radius, 0), Double(min(width, height)) / 2)
        let mask = CornerMask(CornerCoverage(radius: limited), corners: corners, width: width, height: height)
        let background = background.map { color -> [UInt8] in
            let color = color.premultipliedRGBA8
            return [color.x, color.y, color.z, color.w]
        }
        let opaque = background.map { $0[3] == 255 } ?? (mask.isEmpty && source.format.isOpaque)
        let format: PixelFormat = opaque ? .rgba8Opaque : .rgba8Premultiplied
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            for y in 0..<height {
                let row = (target + y * targetStride).assumingMemoryBound(to: UInt8.self)
                memcpy(row, source.unsafeBase + y * source.bytesPerRow, width * 4)
                for span in mask.spans(ofRow: y) {
                    kf_cover(row + 4 * span.start, span.coverage, span.coverage.count)
                }
                if let background { kf_underlay(row, width, background) }
            }
        }
    }
}

/// Where corners change a picture, row by row.
struct CornerMask {
    let corner: CornerCoverage
    let corners: RectCorner
    let width: Int
    let height: Int

    init(_ corner: CornerCoverage, corners: RectCorner, width: Int, height: Int) {
        self.corner = corner
        self.corners = corners
        self.width = width
        self.height = height
    }

    var isEmpty: Bool { corner.side == 0 || corners.isDisjoint(with: .all) }

    /// The pixels of row `y` that are not wholly covered lie in these runs; 255 means wholly.
    func spans(ofRow y: Int) -> [(start: Int, coverage: [UInt8])] {
        let fromBottom = height - 1 - y
        guard !isEmpty, min(y, fromBottom) < corner.side else { return [] }
        var left = 0
        var right = width
        var missing = [Double](repeating: 0, count: width)
        // A pixel on the middle line of an odd side belongs to two corners, the middle one to all four.
        for (edge, distance) in [(RectCorner.topLeft, y), (.bottomLeft, fromBottom)]
        where corners.contains(edge) {
            corner.row(distance) { x, area in
                missing[x] += area
                left = max(left, x + 1)
            }
        }
        for (edge, distance) in [(RectCorner.topRight, y), (.bottomRight, fromBottom)]
        where corners.contains(edge) {
            corner.row(distance) { x, area in
                missing[width - 1 - x] += area
                right = min(right, width - 1 - x)
            }
        }
        let spans = left < right ? [0..<left, right..<width] : [0..<width]
        return spans.filter { !$0.isEmpty }.map { span in
            (span.lowerBound, missing[span].map { UInt8((min(max(1 - $0, 0), 1) * 255).rounded()) })
        }
    }
}
