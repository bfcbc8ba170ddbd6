package import Foundation

/// The arithmetic of `kf.resize` and `kf.crop`, for images of this size at `scale` pixels per point.
extension PixelSize {
    private func points(_ scale: CGFloat) -> CGSize {
        CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
    }

    /// See `kf.resize(to:for:)`; nil if the image is unchanged.
    package func resized(to size: CGSize, for contentMode: ContentMode, scale: CGFloat) -> PixelSize? {
        var target = points(scale).kf.resize(to: size, for: contentMode)
        // The dependent side is rounded to whole points, possibly to 0.
        if contentMode != .none, size.width > 0, size.height > 0 {
            if target.width == 0 { target.width = 1 / scale }
            if target.height == 0 { target.height = 1 / scale }
        }
        return PixelSize(points: target, scale: scale)
    }

    /// See `kf.crop(to:anchorOn:)`; nil if the image is unchanged.
    package func area(of size: CGSize, anchorOn anchor: CGPoint, scale: CGFloat) -> PixelArea? {
        let rect = points(scale).kf.constrainedRect(for: size, anchor: anchor)
        guard let part = PixelSize(points: rect.size, scale: scale) else { return nil }
        let (width, height) = (min(part.width, self.width), min(part.height, self.height))
        return PixelArea(
            x: min(Int((rect.minX * scale).rounded()), self.width - width),
            y: min(Int((rect.minY * scale).rounded()), self.height - height),
            size: PixelSize(width: width, height: height))
    }

    /// The second step of `kf.resize(toFill:focus:)`, for an image that covers `size`.
    package func area(of size: CGSize, focus: CGPoint, scale: CGFloat) -> PixelArea? {
        func anchor(_ length: CGFloat, _ whole: CGFloat, _ focus: CGFloat) -> CGFloat {
            guard whole > length else { return 0.5 }
            return (min(max(focus, 0), 1) * whole - length / 2) / (whole - length)
        }
        let whole = points(scale)
        let point = CGPoint(
            x: anchor(size.width, whole.width, focus.x), y: anchor(size.height, whole.height, focus.y))
        return area(of: size, anchorOn: point, scale: scale)
    }

    /// See `kf.crop(to:)`; nil if the image is unchanged.
    package func area(of rect: CGRect, scale: CGFloat) -> PixelArea? {
        guard let columns = Self.span(rect.minX, rect.width, scale, in: width),
            let rows = Self.span(rect.minY, rect.height, scale, in: height)
        else { return nil }
        return PixelArea(
            x: columns.lowerBound, y: rows.lowerBound,
            size: PixelSize(width: columns.count, height: rows.count))
    }

    /// The pixels of a side of `count` pixels from `start` on; nil if there are none.
    private static func span(
        _ start: CGFloat, _ length: CGFloat, _ scale: CGFloat, in count: Int
    ) -> Range<Int>? {
        let (start, end) = (start * scale, (start + length) * scale)
        guard start.isFinite, end.isFinite, max(start, 0) < min(end, CGFloat(count)) else { return nil }
        let first = min(Int(max(start, 0).rounded()), count - 1)
        let last = Int(min(end, CGFloat(count)).rounded())
        return first..<max(last, first + 1)
    }
}

extension PixelBuffer {
    package func cropped(to area: PixelArea) throws(ImageCodecError) -> PixelBuffer {
        try cropped(x: area.x, y: area.y, width: area.size.width, height: area.size.height)
    }
}
