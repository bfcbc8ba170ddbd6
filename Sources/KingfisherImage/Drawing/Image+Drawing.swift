package import Foundation

extension Image {
    /// The image that `draw` makes of the upright pixels (an animation's first frame), at the same scale.
    ///
    /// The image itself when it is empty, when `draw` has nothing to do (nil) or throws: a size that makes
    /// no sense leaves an image as it is.
    func drawn(_ draw: (PixelBuffer) throws(ImageCodecError) -> PixelBuffer?) -> Image {
        guard let pixels, let upright = try? pixels.upright(from: imageOrientation),
            let result = try? draw(upright)
        else { return self }
        return Image(pixels: result, scale: scale)
    }
}

extension PixelSize {
    /// The pixels of `size` points, rounded, at least one on either side; nil for a size that is not
    /// positive, not finite or above the limit for a frame.
    package init?(points size: CGSize, scale: CGFloat) {
        let (width, height) = (size.width * scale, size.height * scale)
        guard width.isFinite, height.isFinite, width > 0, height > 0,
            max(width, 1) * max(height, 1) <= CGFloat(ImageLimits.maximumPixels)
        else { return nil }
        self.init(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
    }
}
