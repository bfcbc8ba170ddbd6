public import Foundation

/// Keeps a picture in the format it was downloaded in, of those that are registered (`ImageCodecs`); without a
/// download as the file it was made from, where it still has that, and everything else as PNG.
///
/// PNG and JPEG are written anew; other formats keep their bytes as long as no processor has changed the picture.
///
/// An animation stays one, never silently a still, also where its first frame alone was asked for. Where its frames were processed (`.processesAnimatedFrames`), or
/// never were in a file, all of them are written in the original's format if that has animation, or else as APNG,
/// or else as GIF. Processed frames of a GIF are written as APNG, for their colours and soft edges; a processor's
/// still of one is a PNG for the same reason. Without any codec that writes animations the store fails with
/// `cannotSerializeImage`.
public struct DefaultCacheSerializer: CacheSerializer {
    /// The serializer of requests that name none.
    public static let `default` = DefaultCacheSerializer()

    /// Quality of JPEG encoding, 0...1.
    public var compressionQuality: CGFloat = 1.0
    /// Whether the downloaded bytes are kept as they are instead of encoding the processed picture.
    public var preferCacheOriginalData: Bool = false

    public var originalDataUsed: Bool { preferCacheOriginalData }

    public init() {}

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        let format = (original ?? image.kf.fileBytes)?.kf.imageFormat ?? .unknown
        if image.storableFrames != nil {
            return image.kf.animation(preferring: format, compressionQuality: compressionQuality)
        }
        // A still that was made of a GIF has no file to hand on.
        return image.kf.data(format: format, compressionQuality: compressionQuality)
            ?? image.kf.pngRepresentation()
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options.imageCreatingOptions)
    }
}
