import Foundation
import Kingfisher

/// Encodes thumbnails as PNG if they have transparency, as JPEG otherwise.
struct ThumbnailSerializer: CacheSerializer {
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let isOpaque = image.pixels?.format.isOpaque ?? true
        return isOpaque ? image.kf.jpegRepresentation(compressionQuality: 0.85) : image.kf.pngRepresentation()
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
