/// Upright pixels as they come out of a file, and what is still to be done to them: they may be in colours of
/// the file's own.
///
/// What is left is done by whoever asked for the pixels, after making them small: lcms2 takes 250 ms for 12
/// megapixels and 1.4 for a thumbnail of them. The pixels themselves can be had in sRGB only.
package struct DecodedPixels {
    private let pixels: PixelBuffer
    private let colors: ICCTransform?

    /// `colors` is the way from those of `pixels` to sRGB; nil where they are that already.
    package init(_ pixels: PixelBuffer, colors: ICCTransform? = nil) {
        self.pixels = pixels
        self.colors = colors
    }

    /// The same as `orientation` has them stand upright.
    package func upright(from orientation: Image.Orientation) throws(ImageCodecError) -> DecodedPixels {
        DecodedPixels(try pixels.upright(from: orientation), colors: colors)
    }

    /// The same resampled to `size`.
    package func resized(to size: PixelSize) throws(ImageCodecError) -> DecodedPixels {
        DecodedPixels(try pixels.resized(to: size), colors: colors)
    }

    /// The pixels with nothing left to do.
    package func finished() throws(ImageCodecError) -> PixelBuffer {
        try colors?.converted(pixels) ?? pixels
    }
}
