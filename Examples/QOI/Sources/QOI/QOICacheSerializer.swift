public import Kingfisher

/// Stores every image as QOI, which is lossless. Needs no registration.
public struct QOICacheSerializer: CacheSerializer {
    public static let `default` = QOICacheSerializer()

    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        try? image.encoded(using: QOICodec())
    }

    public func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        try? Image.decode(data, using: QOICodec(), options: options.imageCreatingOptions)
    }
}
