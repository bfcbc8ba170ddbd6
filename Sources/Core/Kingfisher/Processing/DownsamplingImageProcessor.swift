public import Foundation
import KingfisherImage

/// Decodes a file directly to a small size, with much less memory and time than decoding and resizing.
///
/// The longer side fits the longer side of `size`. A smaller image is unchanged, and so is any image if
/// `size` is not positive or contains NaN.
public struct DownsamplingImageProcessor: ImageProcessor {
    /// The size to fit, in points.
    public let size: CGSize
    public let identifier: String

    /// Creates a processor that fits images to `size` points.
    public init(size: CGSize) {
        self.size = size
        identifier = ProcessorIdentifier.make("DownsamplingImageProcessor", ProcessorIdentifier.size(size))
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.reduced(with: options) { decodedSize(of: $0, options: options) }
    }

    static let step = StepDefinition(
        "downsample:WxH", example: "downsample:300x300",
        summary: "Shrinks while decoding: the longer side becomes the longer of W and H; never enlarges."
    ) {
        DownsamplingImageProcessor(size: try $0.size())
    }
}

extension DownsamplingImageProcessor: ReducingImageProcessor {
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        full.shrunk(toLongerSide: max(size.width, size.height) * options.scaleFactor)
    }
}
