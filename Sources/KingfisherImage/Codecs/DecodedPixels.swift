/// Upright pixels as they come out of a file, and the conversion of their colours that is still to be done.
///
/// The caller makes them small first: lcms2 takes 250 ms for 12 megapixels and 1.4 ms for a thumbnail of
/// them. The pixels are available in sRGB only, by ``finished()``.
public struct DecodedPixels {
    private let pixels: PixelBuffer
    private let colors: ICCTransform?

    /// `colors` converts `pixels` to sRGB; nil where they are sRGB already.
    public init(_ pixels: PixelBuffer, colors: ICCTransform? = nil) {
        self.pixels = pixels
        self.colors = colors
    }

    /// The same turned upright, from pixels stored in `orientation`.
    public func upright(from orientation: Image.Orientation) throws(ImageCodecError) -> DecodedPixels {
        DecodedPixels(try pixels.upright(from: orientation), colors: colors)
    }

    /// The same resampled to `size` by Lanczos with three lobes.
    public func resized(to size: PixelSize) throws(ImageCodecError) -> DecodedPixels {
        DecodedPixels(try pixels.resized(to: size), colors: colors)
    }

    /// The pixels in sRGB.
    public func finished() throws(ImageCodecError) -> PixelBuffer {
        try colors?.converted(pixels) ?? pixels
    }
}
