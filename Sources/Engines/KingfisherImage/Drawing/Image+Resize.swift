public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image scaled to `size` points, at the same scale factor.
    ///
    /// Greyscale and 16-bit images keep their format. An animation gives its first frame. Returns the image
    /// itself if `size` is not positive, not finite, above 100 megapixels or above a million pixels along a
    /// side. Works on the caller's thread.
    public func resize(to size: CGSize) -> Image { resize(to: size, for: .none) }

    /// The image fitted to `size` points by `contentMode`, at the same scale factor; see `resize(to:)`.
    ///
    /// The result has at least one pixel on each side, regardless of the aspect ratio.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            let target = pixels.size.resized(to: size, for: contentMode, scale: base.scale)
            return try target.map { target throws(ImageCodecError) in try pixels.resized(to: target) }
        }
    }

    /// The image scaled to cover `size` points, then cropped to that size around a focal point.
    ///
    /// `focus` is a position in the image as fractions of its sides, clamped to 0...1: (0, 0) is the top
    /// left. The part is centred on it, as far as the image reaches. Otherwise as `resize(to:for:)` and
    /// `crop(to:anchorOn:)`.
    public func resize(toFill size: CGSize, focus: CGPoint) -> Image {
        let filling = resize(to: size, for: .aspectFill)
        return filling.kf.cropped { $0.area(of: size, focus: focus, scale: filling.scale) }
    }

    /// The part of the image that a rectangle of `size` points covers when both are aligned at `anchorPoint`:
    /// (0, 0) is the top left, (1, 1) the bottom right.
    ///
    /// Pixels, depth and layout are unchanged; edges between pixels are rounded. Anchors are clamped to
    /// 0...1. Returns the image itself if the result would be empty or a number is not finite. Works on the
    /// caller's thread.
    public func crop(to size: CGSize, anchorOn anchorPoint: CGPoint) -> Image {
        cropped { $0.area(of: size, anchorOn: anchorPoint, scale: base.scale) }
    }

    /// The part of the image inside `rect`, in points from the top left.
    ///
    /// Pixels, depth and layout are unchanged; edges between pixels are rounded, and the result has at least
    /// one pixel on each side. Returns the image itself if no part of it is inside `rect`, or if a number is
    /// not finite. Works on the caller's thread.
    public func crop(to rect: CGRect) -> Image {
        cropped { $0.area(of: rect, scale: base.scale) }
    }

    private func cropped(to area: (PixelSize) -> PixelArea?) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            try area(pixels.size).map { area throws(ImageCodecError) in try pixels.cropped(to: area) }
        }
    }
}
