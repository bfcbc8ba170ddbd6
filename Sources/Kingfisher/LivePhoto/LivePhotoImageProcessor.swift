import Foundation
import KingfisherImage

/// Stands in a processor's place where a live photo's files travel: they are kept as they came, not decoded.
struct LivePhotoImageProcessor: ImageProcessor {
    let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

    /// An empty image, whatever the bytes are.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KFCrossPlatformImage()
    }
}

extension LivePhotoImageProcessor: ReducingImageProcessor {
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        PixelSize(width: 0, height: 0)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The same options for a file that is not decoded.
    var forLivePhoto: KingfisherParsedOptionsInfo {
        var options = self
        options.processor = LivePhotoImageProcessor()
        // Another processor would take this one's place.
        options.processesAnimatedFrames = false
        return options
    }
}
