public import Foundation

extension KingfisherWrapper where Base == Image {
    /// Makes an animation from a file's bytes; nil if their format has no animation.
    public static func animatedImage(data: Data, options: ImageCreatingOptions) -> Image? {
        guard let source = try? ImageCodecs.open(data).decoder.frames() else { return nil }
        return animatedImage(source: source, options: options)
    }

    /// Makes an animation from frames; nil if the first frame, or one of those to preload, fails to decode.
    ///
    /// `baseImage` replaces the first frame while the frames are decoded on demand.
    public static func animatedImage(
        source: any ImageFrameSource, options: ImageCreatingOptions, baseImage: Image? = nil
    ) -> Image? {
        try? Image.animated(source, options: options, base: baseImage)
    }

    /// Makes an image from a file's bytes in any registered format; nil if they cannot be decoded.
    public static func image(data: Data, options: ImageCreatingOptions) -> Image? {
        try? Image.decode(data, options: options)
    }

    /// Makes a small image from a file's bytes, without decoding at full size where the format allows it.
    ///
    /// The longer side of the result is the longer side of `size` (in points; pixels are `scale` times that).
    /// Smaller images keep their size. Returns nil if the bytes cannot be decoded.
    public static func downsampledImage(data: Data, to size: CGSize, scale: CGFloat) -> Image? {
        try? Image.downsample(data, to: size, scale: scale)
    }
}
