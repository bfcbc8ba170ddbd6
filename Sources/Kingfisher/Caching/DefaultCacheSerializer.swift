public import Foundation

/// Keeps a picture in the format it was downloaded in (PNG, JPEG, GIF); without a download an animation as the file
/// it came from, and everything else as PNG.
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
        let format = (original ?? image.kf.animatedData)?.kf.imageFormat ?? .unknown
        // A still that was made of an animation has no file to hand on.
        return image.kf.data(format: format, compressionQuality: compressionQuality)
            ?? image.kf.pngRepresentation()
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options.imageCreatingOptions)
    }
}
