import Foundation
import KingfisherImage

/// Replaces the processor for files of live photos, which are not decoded.
struct LivePhotoImageProcessor: ImageProcessor {
    let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

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
    var forLivePhoto: KingfisherParsedOptionsInfo {
        var options = self
        options.processor = LivePhotoImageProcessor()
        // With this option, another processor would replace this one.
        options.processesAnimatedFrames = false
        return options
    }
}
