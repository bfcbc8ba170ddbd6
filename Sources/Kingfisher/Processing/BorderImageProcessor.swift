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
}
