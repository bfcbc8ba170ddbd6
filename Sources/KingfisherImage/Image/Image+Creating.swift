public import Foundation

extension KingfisherWrapper where Base == Image {
    /// Makes an animation from a file's bytes; nil when they are not of a format that can be animated.
    public static func animatedImage(data: Data, options: ImageCreatingOptions) -> Image? {
        guard let source = try? ImageCodecs.codec(for: data)?.frameSource(for: data) else { return nil }
        return animatedImage(source: source, options: options)
    }

    /// Makes an animation from frames; nil when the first one, or one of those to preload, cannot be had.
    ///
    /// `baseImage` stands for the first frame while the frames decode on demand.
    public static func animatedImage(
        source: any ImageFrameSource, options: ImageCreatingOptions, baseImage: Image? = nil
    ) -> Image? {
        try? Image.animated(source, options: options, base: baseImage)
    }

    /// Makes an image from a file's bytes in any registered format; nil when they are none or broken.
    public static func image(data: Data, options: ImageCreatingOptions) -> Image? {
        try? Image.decode(data, options: options)
    }

    /// Makes a small image from a file's bytes without ever holding the big one, where the format allows.
    ///
    /// The image's longer side becomes the longer side of `size` (points; pixels are `scale` times that);
    /// smaller images keep their size. Nil when the bytes are no image.
    public static func downsampledImage(data: Data, to size: CGSize, scale: CGFloat) -> Image? {
        try? Image.downsample(data, to: size, scale: scale)
    }
}
