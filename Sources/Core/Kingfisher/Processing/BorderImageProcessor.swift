import Foundation

/// Draws a border inside the edges of an image; see `Image.kf.addingBorder(_:)`.
///
/// To follow round corners, use the radius of the preceding `RoundCornerImageProcessor`.
public struct BorderImageProcessor: ImageProcessor {
    public var identifier: String { ProcessorIdentifier.make("BorderImageProcessor", border.identifier) }
    /// The border.
    public let border: Border

    /// Creates a processor that draws `border`.
    public init(border: Border) {
        self.border = border
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.addingBorder(border)
    }

    static let step = StepDefinition(
        "border:W,#COLOR[,R[,CORNERS]]", example: "border:4,#fff,20",
        summary: "Draws a line of W pixels along the inside of the edge, with corners rounded by R."
    ) {
        let (width, color) = (try $0.number(in: 0.1...32_768), try $0.color())
        let radius = try $0.radiusIfAny(in: 0...32_768) ?? .point(0)
        return BorderImageProcessor(
            border: Border(
                color: color, lineWidth: width, radius: radius, roundingCorners: try $0.corners()))
    }
}
