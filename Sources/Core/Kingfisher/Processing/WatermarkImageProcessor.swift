public import Foundation

/// Draws another image over an image; see `Image.kf.watermarked(with:anchorOn:margin:opacity:)`.
public struct WatermarkImageProcessor: ImageProcessor {
    /// An image to draw, and the name that identifies it in caches.
    public struct Mark: Sendable {
        /// The image to draw.
        public let image: KFCrossPlatformImage
        /// Must change if the image does.
        public let name: String

        /// Creates a mark.
        public init(_ image: KFCrossPlatformImage, name: String) {
            (self.image, self.name) = (image, name)
        }
    }

    public let identifier: String
    /// The image to draw.
    public let mark: KFCrossPlatformImage
    /// The position of `mark`: (0, 0) is the top left, (1, 1) the bottom right.
    public let anchor: CGPoint
    /// The distance from the edges in points.
    public let margin: CGFloat
    /// The factor for the alpha of `mark`, 0...1.
    public let opacity: CGFloat

    /// Creates a processor that draws `mark`, by default at the bottom right.
    ///
    /// - Parameter name: Identifies `mark` in caches. It must change if the image does.
    public init(
        _ mark: KFCrossPlatformImage, name: String, anchor: CGPoint = CGPoint(x: 1, y: 1),
        margin: CGFloat = 0, opacity: CGFloat = 1
    ) {
        (self.mark, self.anchor, self.margin, self.opacity) = (mark, anchor, margin, opacity)
        identifier = ProcessorIdentifier.make(
            "WatermarkImageProcessor", "\(name)_\(ProcessorIdentifier.point(anchor))_\(margin)_\(opacity)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.watermarked(
            with: mark, anchorOn: anchor, margin: margin, opacity: opacity)
    }

    static let step = StepDefinition(
        "watermark:NAME[,AX,AY|GRAVITY[,A]]", example: "watermark:logo.png,topRight,0.5",
        summary: "Draws the image NAME, by default at the bottom right, with opacity A in 0...1."
    ) {
        NamedWatermark(
            name: try $0.text(), anchor: try $0.anchor(default: CGPoint(x: 1, y: 1)),
            opacity: try $0.numberIfAny(in: 0...1) ?? 1)
    }
}
