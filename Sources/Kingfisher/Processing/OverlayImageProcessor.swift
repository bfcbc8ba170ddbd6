public import Foundation

/// Lays a colour over an image, only where the image is opaque; see `Image.kf.overlaying(with:fraction:)`.
public struct OverlayImageProcessor: ImageProcessor {
    public let identifier: String
    /// The colour of the layer.
    public let overlay: KFCrossPlatformColor
    /// How much of the image shows through: 0 leaves the colour alone, 1 the image alone.
    public let fraction: CGFloat

    /// Lays `overlay` over images, of which `fraction` shows through.
    public init(overlay: KFCrossPlatformColor, fraction: CGFloat = 0.5) {
        self.overlay = overlay
        self.fraction = fraction
        identifier = ProcessorIdentifier.make("OverlayImageProcessor", "\(overlay.identifier)_\(fraction)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.overlaying(with: overlay, fraction: fraction)
    }
}
