public import Foundation

/// Keeps every image in one format, whatever it was downloaded in.
///
/// An image that cannot be encoded so (a still as GIF) is kept as PNG. A format without animation keeps the
/// first frame of one.
public struct FormatIndicatedCacheSerializer: ImageFileCacheSerializer, Hashable {
    /// Lossless, keeps transparency.
    public static let png = FormatIndicatedCacheSerializer(imageFormat: .PNG, jpegCompressionQuality: nil)
    /// JPEG at quality 1.0; transparency is lost.
    public static let jpeg = FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: 1.0)
    /// Keeps the animation.
    public static let gif = FormatIndicatedCacheSerializer(imageFormat: .GIF, jpegCompressionQuality: nil)

    /// JPEG at `compressionQuality`, 0...1; transparency is lost.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(imageFormat: .JPEG, jpegCompressionQuality: compressionQuality)
    }

    let imageFormat: ImageFormat
    let jpegCompressionQuality: CGFloat?

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        image.kf.data(format: imageFormat, compressionQuality: jpegCompressionQuality ?? 1.0)
            ?? image.kf.normalized.kf.pngRepresentation()
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
