public import Foundation
import KingfisherImage

/// Decodes a file straight to a small size: far less memory and time than decoding it whole and resizing.
///
/// The longer side fits the longer side of `size`; an image that is smaller already stays as it is, and so
/// does any where `size` is not positive or no number.
public struct DownsamplingImageProcessor: ImageProcessor {
    /// The size to fit, in points.
    public let size: CGSize
    public let identifier: String

    /// Fits images to `size` points.
    public init(size: CGSize) {
        self.size = size
        identifier = ProcessorIdentifier.make("DownsamplingImageProcessor", ProcessorIdentifier.size(size))
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        switch item {
        case .data(let data):
            try? KFCrossPlatformImage.downsample(
                data, to: size, scale: options.scaleFactor,
                acceptsPartialImages: options.acceptsPartialImages)
        case .image(let image):
            image.kf.downsampled(to: size, scale: options.scaleFactor)
        }
    }
}

extension DownsamplingImageProcessor: ReducingImageProcessor {
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        full.shrunk(toLongerSide: max(size.width, size.height) * options.scaleFactor)
    }
}
