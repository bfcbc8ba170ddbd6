public import Foundation

/// Draws a colour over the opaque parts of an image; see `Image.kf.overlaying(with:fraction:)`.
public struct OverlayImageProcessor: ImageProcessor {
    public let identifier: String
    /// The colour of the layer.
    public let overlay: KFCrossPlatformColor
    /// The visible fraction of the image: 0 shows only the colour, 1 only the image.
    public let fraction: CGFloat

    /// Creates a processor that draws `overlay` over images, with `fraction` of the image visible.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier = ProcessorIdentifier.make("OverlayImageProcessor", "\(overlay.identifier)_\(fraction)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.overlaying(with: overlay, fraction: fraction)
    }

    static let step = StepDefinition(
        "overlay:#COLOR[,F]", example: "overlay:#06c,0.6",
        summary: "Draws a colour over opaque pixels; F in 0...1 is how much shows through, 0.5 by default."
    ) {
        OverlayImageProcessor(overlay: try $0.color(), fraction: try $0.numberIfAny(in: 0...1) ?? 0.5)
    }
}
