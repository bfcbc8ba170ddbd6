public import Foundation
public import Kingfisher

/// Keeps images as WebP, without the format being registered.
///
/// A WebP file that no processor has changed is kept as the very bytes that came from the server:
/// encoding it anew could make it worse, never better. What must be encoded is up to the kind of
/// serializer. Animations stay animations.
public struct WebPCacheSerializer: ImageFileCacheSerializer, Hashable {
    private enum Encoding: Hashable, Sendable {
        case like
        case lossless
        case lossy(quality: CGFloat)
    }

    /// Keeps WebP as WebP, and what was another format as `DefaultCacheSerializer` does.
    ///
    /// A processed image is encoded as its file was: lossy at the best quality, or lossless; without a file
    /// lossless.
    public static let `default` = WebPCacheSerializer(encoding: .like)

    /// Makes everything WebP without a changed pixel.
    public static let lossless = WebPCacheSerializer(encoding: .lossless)

    /// Makes everything WebP at `quality`, 0...1, also lossless stills that nothing has changed.
    public static func lossy(quality: CGFloat) -> WebPCacheSerializer {
        WebPCacheSerializer(encoding: .lossy(quality: quality))
    }

    private let encoding: Encoding

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        switch encoding {
        case .like:
            guard let file = original ?? image.kf.sourceFile else { return image.webPData }
            guard let codec = WebPCodec(for: file) else {
                return DefaultCacheSerializer.default.data(with: image, original: original)
            }
            return image.kf.webPFile ?? image.kf.webPRepresentation(isLossless: codec.isLossless(file))
        case .lossless:
            return image.kf.webPFile ?? encode(image, ImageEncodingOptions(isLossless: true))
        case .lossy(let quality):
            if let file = image.kf.webPFile, !WebPCodec().isLosslessStill(file) {
                return file
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

    /// All frames also of an animation in another format of which only the first one was asked for: whoever
    /// reads the file later may want the others.
    private func encode(_ image: Image, _ options: ImageEncodingOptions) -> Data? {
        if let frames = image.storableFrames { return try? WebPCodec().encode(all: frames, options: options) }
        return try? image.encoded(using: WebPCodec(), options: options)
    }
}

extension WebPCodec {
    /// Whether the file is a still and lossless; false where that cannot be found.
    fileprivate func isLosslessStill(_ file: Data) -> Bool {
        (try? header(of: file)).map { $0.isLossless && $0.timing == nil } ?? false
    }

    /// Whether every image in the file is lossless; false where that cannot be found.
    fileprivate func isLossless(_ file: Data) -> Bool {
        (try? header(of: file).isLossless) ?? false
    }
}
