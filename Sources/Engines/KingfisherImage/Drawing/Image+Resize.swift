public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image scaled to `size` points, at the same scale factor.
    ///
    /// Greyscale and 16-bit images keep their format. An animation gives its first frame. Returns the image
    /// itself if `size` is not positive, not finite, above 100 megapixels or above a million pixels along a
    /// side. Works on the caller's thread.
    public func resize(to size: CGSize) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let target = PixelSize(points: size, scale: base.scale) else { return nil }
            return try pixels.resized(to: target)
        }
    }

    /// The image fitted to `size` points by `contentMode`, at the same scale factor; see `resize(to:)`.
    ///
    /// The result has at least one pixel on each side, regardless of the aspect ratio.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> Image {
        var target = base.size.kf.resize(to: size, for: contentMode)
        // The dependent side is rounded to whole points, possibly to 0.
        if size.width > 0, size.height > 0 {
            if target.width == 0 { target.width = 1 / base.scale }
            if target.height == 0 { target.height = 1 / base.scale }
        }
        return resize(to: target)
    }

    /// The image scaled to cover `size` points, then cropped to that size around a focal point.
    ///
    /// `focus` is a position in the image as fractions of its sides, clamped to 0...1: (0, 0) is the top
    /// left. The part is centred on it, as far as the image reaches. Otherwise as `resize(to:for:)` and
    /// `crop(to:anchorOn:)`.
    public func resize(toFill size: CGSize, focus: CGPoint) -> Image {
        let filling = resize(to: size, for: .aspectFill)
        func anchor(_ length: CGFloat, _ whole: CGFloat, _ focus: CGFloat) -> CGFloat {
            guard whole > length else { return 0.5 }
            return (min(max(focus, 0), 1) * whole - length / 2) / (whole - length)
        }
        let point = CGPoint(
            x: anchor(size.width, filling.size.width, focus.x),
            y: anchor(size.height, filling.size.height, focus.y))
        return filling.kf.crop(to: size, anchorOn: point)
    }

    /// The part of the image that a rectangle of `size` points covers when both are aligned at `anchorPoint`:
    /// (0, 0) is the top left, (1, 1) the bottom right.
    ///
    /// Pixels, depth and layout are unchanged; edges between pixels are rounded. Anchors are clamped to
    /// 0...1. Returns the image itself if the result would be empty or a number is not finite. Works on the
    /// caller's thread.
    public func crop(to size: CGSize, anchorOn anchorPoint: CGPoint) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let rect = base.size.kf.constrainedRect(for: size, anchor: anchorPoint)
            guard let part = PixelSize(points: rect.size, scale: base.scale) else { return nil }
            let (width, height) = (min(part.width, pixels.width), min(part.height, pixels.height))
            return try pixels.cropped(
                x: min(Int((rect.minX * base.scale).rounded()), pixels.width - width),
                y: min(Int((rect.minY * base.scale).rounded()), pixels.height - height),
                width: width, height: height)
        }
    }

    /// The part of the image inside `rect`, in points from the top left.
    ///
    /// Pixels, depth and layout are unchanged; edges between pixels are rounded, and the result has at least
    /// one pixel on each side. Returns the image itself if no part of it is inside `rect`, or if a number is
    /// not finite. Works on the caller's thread.
    public func crop(to rect: CGRect) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let columns = Self.span(rect.minX, rect.width, base.scale, in: pixels.width),
                let rows = Self.span(rect.minY, rect.height, base.scale, in: pixels.height)
            else { return nil }
            return try pixels.cropped(
                x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
        }
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
