public import Foundation

/// Draws an image by a blend mode on a canvas that is transparent or of one colour.
public struct BlendImageProcessor: ImageProcessor {
    public let identifier: String
    /// How the image is combined with the canvas.
    public let blendMode: BlendMode
    /// What the image's own alpha is multiplied by, 0...1.
    public let alpha: CGFloat
    /// The canvas; transparent when nil.
    public let backgroundColor: KFCrossPlatformColor?

    /// Draws by `blendMode` at `alpha` on `backgroundColor`.
    public init(blendMode: BlendMode, alpha: CGFloat = 1.0, backgroundColor: KFCrossPlatformColor? = nil) {
        self.blendMode = blendMode
        self.alpha = alpha
        self.backgroundColor = backgroundColor
        identifier =
            ProcessorIdentifier.make("BlendImageProcessor", "\(blendMode.rawValue),\(alpha)")
            + (backgroundColor.map { "_\($0.identifier)" } ?? "")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.image(
            withBlendMode: blendMode, alpha: alpha, backgroundColor: backgroundColor)
    }
}
