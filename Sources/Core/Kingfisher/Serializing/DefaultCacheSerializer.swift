public import Foundation

/// Stores an image in the format of its download, if that format is registered (`ImageCodecs`). Without a
/// download it uses the source file of the image, if it still has one, otherwise PNG.
///
/// PNG and JPEG are always encoded again; other formats keep the original bytes unless a processor has
/// changed the image. In a format with lossy and lossless modes, the mode of the file is used
/// (`ImageHeader.isLossless`).
///
/// An animation is never stored as a still image, even if only its first frame was requested. If its frames
/// were processed (`.processesAnimatedFrames`) or have no source file, all of them are written in the
/// original's format if that supports animation, otherwise as APNG, otherwise as GIF. Processed frames of a
/// GIF are written as APNG, to preserve colours and partial transparency; a processed still image of a GIF is
/// written as PNG for the same reason. Without a codec that writes animations, the store fails with
/// `cannotSerializeImage`.
public struct DefaultCacheSerializer: ImageFileCacheSerializer, Hashable {
    /// The serializer of requests that do not specify one.
    public static let `default` = DefaultCacheSerializer()

    /// The quality of JPEG encoding, 0...1.
    public var compressionQuality: CGFloat = 1.0
    /// Whether the downloaded bytes are stored instead of the encoded, processed image.
    public var preferCacheOriginalData: Bool = false

    /// What happens to the metadata of the original: by default it is not written into encoded images.
    ///
    /// With `.strip`, `.keepWithoutLocation` and `.keepCopyright` the store fails with `cannotSerializeImage`
    /// for an unchanged file whose metadata cannot be removed.
    public var metadata = MetadataPolicy.automatic

    public var originalDataUsed: Bool { preferCacheOriginalData }

    public init() {}

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let file = original ?? image.kf.sourceFile
        return encoded(image, original: original)
            .flatMap { metadata.applied(to: $0, original: file) }
    }

    private func encoded(_ image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        let file = original ?? image.kf.sourceFile
        let format = file?.kf.imageFormat ?? .unknown
        if image.storableFrames != nil {
            return image.kf.animation(preferring: format, options: options(like: file))
        }
        // A processed still image of a GIF has no source file; encoding it as GIF fails.
        return image.kf.data(format: format, options: options(like: file))
            ?? image.kf.pngRepresentation()
    }

    private func options(like file: Data?) -> ImageEncodingOptions {
        let header = file.flatMap { try? ImageCodecs.open($0).header }
        return ImageEncodingOptions(quality: compressionQuality, isLossless: header?.isLossless ?? false)
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options.imageCreatingOptions)
    }
}
