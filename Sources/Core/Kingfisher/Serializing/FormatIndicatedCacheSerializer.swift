public import Foundation

/// Stores every image in one format.
///
/// An image that this format cannot encode (such as a still image as GIF) is stored as PNG. For a format
/// without animation, the first frame is stored.
public struct FormatIndicatedCacheSerializer: ImageFileCacheSerializer, Hashable {
    /// PNG: lossless, with transparency.
    public static let png = FormatIndicatedCacheSerializer(imageFormat: .PNG)
    /// JPEG at quality 1.0, without transparency.
    public static let jpeg = FormatIndicatedCacheSerializer(imageFormat: .JPEG)
    /// GIF, with animation.
    public static let gif = FormatIndicatedCacheSerializer(imageFormat: .GIF)

    /// JPEG at `compressionQuality`, 0...1, without transparency.
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .JPEG, options: ImageEncodingOptions(quality: compressionQuality))
    }

    let imageFormat: ImageFormat
    let options: ImageEncodingOptions
    /// What happens to the metadata of the original, as `DefaultCacheSerializer.metadata`.
    public var metadata = MetadataPolicy.automatic

    /// Stores images as `imageFormat` with `options`.
    ///
    /// With `maximumBytes`, every image is encoded again, and the store fails with `cannotSerializeImage` if
    /// no file is small enough. Metadata that `metadata` keeps is added to that file.
    public init(imageFormat: ImageFormat, options: ImageEncodingOptions = ImageEncodingOptions()) {
        self.imageFormat = imageFormat
        self.options = options
    }

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        encoded(image).flatMap { metadata.applied(to: $0, original: original ?? image.kf.sourceFile) }
    }

    private func encoded(_ image: KFCrossPlatformImage) -> Data? {
        guard options.maximumBytes == nil else {
            return try? image.encoded(as: imageFormat, options: options)
        }
        return image.kf.data(format: imageFormat, options: options)
            ?? image.kf.normalized.kf.pngRepresentation()
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
