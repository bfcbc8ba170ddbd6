import Foundation

/// Draws a colour over an image, with the colour's alpha. Transparent pixels are also tinted.
public struct TintImageProcessor: ImageProcessor {
    public let identifier: String
    /// The tint colour.
    public let tint: KFCrossPlatformColor

    /// Creates a processor that tints with `tint`; an opaque colour hides the image.
    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = ProcessorIdentifier.make("TintImageProcessor", tint.identifier)
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.tinted(with: tint)
    }

    static let step = StepDefinition(
        "tint:#COLOR", example: "tint:#06c5",
        summary: "Draws a colour with its opacity over all pixels, including transparent ones."
    ) {
        TintImageProcessor(tint: try $0.color())
    }
}
