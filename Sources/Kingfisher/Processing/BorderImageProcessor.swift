import Foundation

/// Draws a line along the inside of an image's edge; see `Image.kf.addingBorder(_:)`.
///
/// To follow round corners, give the border the radius of the `RoundCornerImageProcessor` before it.
public struct BorderImageProcessor: ImageProcessor {
    public var identifier: String { ProcessorIdentifier.make("BorderImageProcessor", border.identifier) }
    /// The line.
    public let border: Border

    /// Draws `border`.
    public init(border: Border) {
        self.border = border
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.addingBorder(border)
    }
}
