public import Foundation
public import Kingfisher

/// Stores images as WebP, without registering the format.
///
/// The original bytes of a WebP file that no processor has changed are stored: encoding it again would not
/// improve it. The encoding of other images depends on the kind of serializer. Animations stay animations.
public struct WebPCacheSerializer: ImageFileCacheSerializer, Hashable {
    private enum Encoding: Hashable, Sendable {
        case like
        case lossless
        case lossy(quality: CGFloat)
    }

    /// Stores WebP as WebP, and other formats as `DefaultCacheSerializer` does.
    ///
    /// A processed image is encoded like its file: lossy at the best quality, or lossless; without a file,
    /// lossless.
    public static let `default` = WebPCacheSerializer(encoding: .like)

    /// Stores all images as lossless WebP.
    public static let lossless = WebPCacheSerializer(encoding: .lossless)

    /// Stores all images as WebP at `quality` (0...1), including unchanged lossless stills.
    public static func lossy(quality: CGFloat) -> WebPCacheSerializer {
        WebPCacheSerializer(encoding: .lossy(quality: quality))
    }

    private let encoding: Encoding
    /// What happens to the metadata of the original, as `DefaultCacheSerializer.metadata`.
    public var metadata = MetadataPolicy.automatic

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        encoded(image, original: original)
            .flatMap {
                metadata.applied(to: $0, original: original ?? image.kf.sourceFile) {
                    WebPCodec(for: $0) ?? ImageCodecs.codec(for: $0)
                }
            }
    }

    private func encoded(_ image: KFCrossPlatformImage, original: Data?) -> Data? {
        switch encoding {
        case .like:
            guard let file = original ?? image.kf.sourceFile else { return image.webPData }
            guard WebPCodec(for: file) != nil else {
                return DefaultCacheSerializer.default.data(with: image, original: original)
            }
            return image.kf.webPFile
                ?? image.kf.webPRepresentation(isLossless: WebPCodec.header(of: file)?.isLossless ?? false)
        case .lossless:
            return image.kf.webPFile ?? encode(image, ImageEncodingOptions(isLossless: true))
        case .lossy(let quality):
            if let file = image.kf.webPFile {
                let header = WebPCodec.header(of: file)
                guard header?.isLossless == true, header?.timing == nil else { return file }
            }
            return encode(image, ImageEncodingOptions(quality: quality))
        }
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard let codec = WebPCodec(for: data) else {
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
        return try? Image.decode(data, using: codec, options: options.imageCreatingOptions)
    }

    /// Encodes all frames, even of an animation in another format of which only the first was requested,
    /// because a later reader may need them.
    private func encode(_ image: Image, _ options: ImageEncodingOptions) -> Data? {
        if let frames = image.storableFrames { return try? WebPCodec().encode(all: frames, options: options) }
        return try? image.encoded(using: WebPCodec(), options: options)
    }
}
