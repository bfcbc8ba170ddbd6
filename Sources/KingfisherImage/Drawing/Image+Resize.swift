public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image stretched or shrunk to `size` points, at the same scale.
    ///
    /// Grey and 16-bit images stay so. An animation gives its first frame. The image itself when `size`
    /// is not positive, not finite, above 100 megapixels or a million pixels along a side. Works on the
    /// caller's thread.
    public func resize(to size: CGSize) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let target = PixelSize(points: size, scale: base.scale) else { return nil }
            return try pixels.resized(to: target)
        }
    }

    /// The image fitted to `size` points by `contentMode`, at the same scale; see `resize(to:)`.
    ///
    /// At least one pixel on either side: a line a thousand times as long as it is wide stays a line.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> Image {
        var target = base.size.kf.resize(to: size, for: contentMode)
        // The side that follows from the proportions is rounded to whole points, which may be none.
        if size.width > 0, size.height > 0 {
            if target.width == 0 { target.width = 1 / base.scale }
            if target.height == 0 { target.height = 1 / base.scale }
        }
        return resize(to: target)
    }

    /// The part of the image, in points, that a rectangle of `size` covers whose `anchorPoint` lies at the
    /// same fraction of the image: (0, 0) is the top left, (1, 1) the bottom right.
    ///
    /// The pixels, their depth and layout are kept; edges between pixels go to the nearest. Anchors beyond
    /// 0...1 count as the nearest. The image itself when nothing would be left, or a number is none.
    /// Works on the caller's thread.
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
}
