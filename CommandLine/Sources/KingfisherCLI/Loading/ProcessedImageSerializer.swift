import Foundation
import Kingfisher

/// Keeps processed images without loss, because what is cached is the base of every later output, of any
/// format and quality: stills as PNG, and those whose frames were processed as APNG.
struct ProcessedImageSerializer: ImageFileCacheSerializer {
    func data(with image: Image, original: Data?) -> Data? {
        try? image.encoded(as: image.isAnimation ? .APNG : .PNG)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

extension Image {
    /// Whether the image has frames.
    var isAnimation: Bool { kf.frameSource != nil || images != nil }
}
