import Glibc

extension PixelBuffer {
    /// The part of `width` x `height` pixels at (`x`, `y`) from the top left, in the same format.
    ///
    /// Throws `tooLarge` if the part is empty or not inside of the image, and above `ImageLimits`.
    public func cropped(x: Int, y: Int, width: Int, height: Int) throws(ImageCodecError) -> PixelBuffer {
        guard x >= 0, y >= 0, width > 0, height > 0, width <= self.width, height <= self.height,
            x <= self.width - width, y <= self.height - height
        else { throw .tooLarge(width: width, height: height) }
        let size = PixelSize(width: width, height: height)
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            let source = unsafeBase + y * bytesPerRow + x * format.bytesPerPixel
            for row in 0..<height {
                memcpy(
                    target + row * targetStride, source + row * bytesPerRow, width * format.bytesPerPixel)
            }
        }
    }
}
