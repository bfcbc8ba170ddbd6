public import Foundation
public import Kingfisher

/// Decodes WebP without registering the format, and other data as `DefaultImageProcessor` does.
///
/// Animations keep their frames, decoded on demand unless the options say otherwise. With a `size`, the
/// result is a still of the first frame, or an animation with every frame shrunk if
/// `.processesAnimatedFrames` is set. Decoded images are returned unchanged, or shrunk to `size`.
public struct WebPProcessor: ImageProcessor {
    /// Decodes images at full size.
    public static let `default` = WebPProcessor()

    /// The size to decode to, in points; nil for the file's size.
    public let size: CGSize?
    public let identifier: String

    /// Creates a processor that fits the longer side of images to the longer side of `size` points, if given.
    ///
    /// As with `DownsamplingImageProcessor`, the file is decoded directly at that size, and a smaller image
    /// is unchanged.
    public init(size: CGSize? = nil) {
        self.size = size
        // `"\(CGSize)"` differs between systems.
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
    /// To process every frame of an animation, decodes it with its frames before they are shrunk.
    public func stages(decoding file: Data) -> [any ImageProcessor] {
        guard size != nil, let header = WebPCodec.header(of: file), header.frameCount > 1 else {
            return [self]
        }
        return [Self.default, self]
    }
}

extension WebPCodec {
    init?(for data: Data) {
        self.init()
        guard data.withUnsafeBytes(matches) else { return nil }
    }

    /// The header of a complete file; nil for other bytes.
    static func header(of file: Data) -> ImageHeader? {
        try? WebPDecoder(EncodedFile(file)).header
    }
}
