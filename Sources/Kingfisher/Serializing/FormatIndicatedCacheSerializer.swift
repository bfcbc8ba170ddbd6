public import Foundation

/// Stores every image in one format.
///
/// An image that this format cannot encode (such as a still image as GIF) is stored as PNG. For a format
/// without animation, the first frame is stored.
public struct FormatIndicatedCacheSerializer: ImageFileCacheSerializer, Hashable {
    /// PNG: lossless, with transparency.
    public static let png = FormatIndicatedCacheSerializer(imageFormat: .PNG, jpegCompressionQuality: nil)
    /// JPEG at quality 1.0, without transparency.
    public static let jpeg = FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: 1.0)
    /// GIF, with animation.
    public static let gif = FormatIndicatedCacheSerializer(imageFormat: .GIF, jpegCompressionQuality: nil)

    /// JPEG at `compressionQuality`, 0...1, without transparency.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: compressionQuality)
    }

    let imageFormat: ImageFormat
    let jpegCompressionQuality: CGFloat?
    /// What happens to the metadata of the original, as `DefaultCacheSerializer.metadata`.
    public var metadata = MetadataPolicy.automatic

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let file =
            image.kf.data(format: imageFormat, compressionQuality: jpegCompressionQuality ?? 1.0)
            ?? image.kf.normalized.kf.pngRepresentation()
        return file.flatMap { metadata.applied(to: $0, original: original ?? image.kf.sourceFile) }
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
