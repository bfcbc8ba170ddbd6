import Foundation
import Kingfisher

/// A thumbnail as it is sent: PNG if the image has transparency, JPEG otherwise.
struct Thumbnail: Sendable, CacheCostCalculable {
    let bytes: Data
    let mediaType: String

    /// Nil when the image has no pixels.
    init?(_ image: KFCrossPlatformImage) {
        let isOpaque = image.pixels?.format.isOpaque ?? true
        let encoded =
            isOpaque ? image.kf.jpegRepresentation(compressionQuality: 0.85) : image.kf.pngRepresentation()
        guard let encoded else { return nil }
        bytes = encoded
        mediaType = isOpaque ? "image/jpeg" : "image/png"
    }

    var cacheCost: Int { bytes.count }
}
