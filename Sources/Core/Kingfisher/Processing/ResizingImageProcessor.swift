public import Foundation

/// Resizes an image to a size in points.
///
/// The image is decoded at full size first; `DownsamplingImageProcessor` is faster for thumbnails of large
/// files. If the target size has no pixels, or too many, the image is unchanged; see `Image.kf.resize(to:)`.
public struct ResizingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The size that `targetContentMode` relates to, in points.
    public let referenceSize: CGSize
    /// How the image is fitted to the reference size.
    public let targetContentMode: ContentMode

    /// Creates a processor that resizes to `referenceSize` points, stretched unless `mode` preserves the
    /// aspect ratio.
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

    static let step = StepDefinition(
        "resize:WxH[,fit|fill]", example: "resize:800x600,fit",
        summary:
            "Resizes to W x H pixels; with fit or fill keeps the aspect ratio inside or around that size."
    ) {
        ResizingImageProcessor(
            referenceSize: try $0.size(),
            mode: try $0.choiceIfAny(of: ["fit": .aspectFit, "fill": .aspectFill]) ?? .none)
    }
}
