import Foundation

/// Draws a colour over an image, with the colour's alpha; transparent pixels show it, too.
public struct TintImageProcessor: ImageProcessor {
    public let identifier: String
    /// The colour on top.
    public let tint: KFCrossPlatformColor

    /// Tints with `tint`, which hides the image where it is opaque.
    public init(tint: KFCrossPlatformColor) {
        self.tint = tint
        identifier = ProcessorIdentifier.make("TintImageProcessor", tint.identifier)
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.tinted(with: tint)
    }
}
