import Foundation
import Kingfisher

/// Stores processed images without loss, as PNG or APNG, because every later output is encoded from the
/// cached file.
struct ProcessedImageSerializer: ImageFileCacheSerializer {
    func data(with image: Image, original: Data?) -> Data? {
        try? image.encoded(as: image.isAnimation ? .APNG : .PNG)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

extension Image {
    var isAnimation: Bool { kf.frameSource != nil || images != nil }
}
