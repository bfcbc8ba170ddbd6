package import Foundation

extension Image {
    /// Applies `draw` to the upright pixels (an animation's first frame), at the same scale.
    ///
    /// Returns the image itself if it is empty, or if `draw` returns nil or throws, for example for an
    /// invalid size.
    package func drawn(_ draw: (PixelBuffer) throws(ImageCodecError) -> PixelBuffer?) -> Image {
        guard let pixels, let upright = try? pixels.upright(from: imageOrientation),
            let result = try? draw(upright)
        else { return self }
        return Image(pixels: result, scale: scale)
    }
}

extension PixelSize {
    /// `size` points in pixels, rounded, at least one on each side; nil for a size that is not positive, not
    /// finite or above the limit for a frame.
    package init?(points size: CGSize, scale: CGFloat) {
        let (width, height) = (size.width * scale, size.height * scale)
        guard width.isFinite, height.isFinite, width > 0, height > 0,
            max(width, 1) * max(height, 1) <= CGFloat(ImageLimits.maximumPixels)
        else { return nil }
        self.init(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
    }
}
