public import Foundation

/// Keeps an image in the format it was downloaded in, of those that are registered (`ImageCodecs`); without
/// a download as the file it was made from, where it still has that, and everything else as PNG.
///
/// PNG and JPEG are written anew; other formats keep their bytes as long as no processor has changed the
/// image. What is written anew in a format that can be lossy or not is what the file was
/// (`ImageHeader.isLossless`).
///
/// An animation stays one, never silently a still, also where its first frame alone was asked for. Where its
/// frames were processed (`.processesAnimatedFrames`), or never were in a file, all of them are written in
/// the original's format if that has animation, or else as APNG, or else as GIF. Processed frames of a GIF
/// are written as APNG, for their colours and soft edges; a processor's still of one is a PNG for the same
/// reason. Without any codec that writes animations the store fails with `cannotSerializeImage`.
public struct DefaultCacheSerializer: ImageFileCacheSerializer, Hashable {
    /// The serializer of requests that name none.
    public static let `default` = DefaultCacheSerializer()

    /// Quality of JPEG encoding, 0...1.
    public var compressionQuality: CGFloat = 1.0
    /// Whether the downloaded bytes are kept as they are instead of encoding the processed image.
    public var preferCacheOriginalData: Bool = false

    public var originalDataUsed: Bool { preferCacheOriginalData }

    public init() {}

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if preferCacheOriginalData, let original { return original }
        let file = original ?? image.kf.sourceFile
        let format = file?.kf.imageFormat ?? .unknown
        if image.storableFrames != nil {
            return image.kf.animation(preferring: format, options: options(like: file))
        }
        // A still that was made of a GIF has no file to hand on.
        return image.kf.data(format: format, options: options(like: file))
            ?? image.kf.pngRepresentation()
    }

    private func options(like file: Data?) -> ImageEncodingOptions {
        let header = file.flatMap { try? ImageCodecs.header(of: $0) }
        return ImageEncodingOptions(quality: compressionQuality, isLossless: header?.isLossless ?? false)
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options.imageCreatingOptions)
    }
}
