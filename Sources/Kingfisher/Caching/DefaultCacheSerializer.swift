public import Foundation

/// Keeps a picture in the format it was downloaded in (PNG, JPEG, GIF), or as PNG where that is unknown.
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
        let format = original?.kf.imageFormat ?? .unknown
        return image.kf.data(format: format, compressionQuality: compressionQuality)
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options.imageCreatingOptions)
    }
}
