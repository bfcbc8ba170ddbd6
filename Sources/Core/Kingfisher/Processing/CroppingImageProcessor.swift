public import Foundation

/// Crops an image to the intersection with a rectangle.
///
/// If the intersection is empty, or the rectangle contains NaN, the image is unchanged.
public struct CroppingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The size of the rectangle in points.
    public let size: CGSize
    /// The position of the rectangle: (0, 0) is the top left, (1, 1) the bottom right.
    public let anchor: CGPoint

    /// Creates a processor that crops to `size` points at `anchor`, by default the centre.
    public init(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) {
        self.size = size
        self.anchor = anchor
        identifier = ProcessorIdentifier.make(
            "CroppingImageProcessor", "\(ProcessorIdentifier.size(size))_\(ProcessorIdentifier.point(anchor))"
        )
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.crop(to: size, anchorOn: anchor)
    }

    static let step = StepDefinition(
        "crop:WxH[,AX,AY|GRAVITY]", example: "crop:200x200,0.5,0",
        summary: "Cuts out W x H pixels; AX,AY in 0...1 is the position, by default the centre 0.5,0.5."
    ) {
        CroppingImageProcessor(size: try $0.size(), anchor: try $0.anchor())
    }
}
