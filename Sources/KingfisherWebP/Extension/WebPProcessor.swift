public import Foundation
public import Kingfisher

/// Decodes WebP, without the format being registered; other bytes as `DefaultImageProcessor` does.
///
/// Animations keep their frames, decoded on demand unless the options say otherwise, except with a `size`,
/// which makes a still of the first one, or shrinks every frame with `.processesAnimatedFrames`. Decoded
/// images are passed on as they are, or shrunk to `size`.
public struct WebPProcessor: ImageProcessor {
    /// Decodes images as large as they are.
    public static let `default` = WebPProcessor()

    /// The size to decode to, in points; nil for the file's own.
    public let size: CGSize?
    public let identifier: String

    /// Fits the longer side of images to the longer side of `size` points, where it is given.
    ///
    /// As with `DownsamplingImageProcessor`, the file is decoded to that size in the first place, and a
    /// image that is smaller already stays as it is.
    public init(size: CGSize? = nil) {
        self.size = size
        // `"\(CGSize)"` reads differently on different systems.
        identifier = size.map { "WebPProcessor((\($0.width), \($0.height)))" } ?? "WebPProcessor"
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        switch (item, size) {
        case (.image(let image), nil):
            image
        case (.image(let image), let size?):
            image.kf.downsampled(to: size, scale: options.scaleFactor)
        case (.data(let data), nil):
            try? Image.decode(data, using: WebPCodec(for: data), options: options.imageCreatingOptions)
        case (.data(let data), let size?):
            try? Image.downsample(
                data, using: WebPCodec(for: data), to: size, scale: options.scaleFactor,
                acceptsPartialImages: options.acceptsPartialImages)
        }
    }
}

extension WebPProcessor: ImageFileProcessor {
    /// Where every frame is to be processed, an animation is decoded with its frames before they are shrunk.
    public func stages(decoding file: Data) -> [any ImageProcessor] {
        guard size != nil, let header = try? WebPCodec(for: file)?.header(of: file), header.frameCount > 1
        else { return [self] }
        return [Self.default, self]
    }
}

extension WebPCodec {
    /// Nil for bytes of another format.
    init?(for data: Data) {
        self.init()
        guard data.withUnsafeBytes(matches) else { return nil }
    }
}
