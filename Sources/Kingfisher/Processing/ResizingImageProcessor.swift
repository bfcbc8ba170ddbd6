public import Foundation

/// Resizes an image to a size in points.
///
/// The whole image is decoded first; to make a thumbnail of a big file, `DownsamplingImageProcessor` is
/// faster. A size that makes none, or too many pixels, leaves the image as it is; see
/// `Image.kf.resize(to:)`.
public struct ResizingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The size that `targetContentMode` relates to, in points.
    public let referenceSize: CGSize
    /// How the image is fitted to the reference size.
    public let targetContentMode: ContentMode

    /// Resizes to `referenceSize` points, stretched unless `mode` keeps proportions.
    public init(referenceSize: CGSize, mode: ContentMode = .none) {
        self.referenceSize = referenceSize
        targetContentMode = mode
        let size = ProcessorIdentifier.size(referenceSize)
        identifier = ProcessorIdentifier.make(
            "ResizingImageProcessor", mode == .none ? size : "\(size), \(mode)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.resize(to: referenceSize, for: targetContentMode)
    }
}
