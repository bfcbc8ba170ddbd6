public import Foundation

/// Draws an image with a blend mode on a transparent or single-colour canvas.
public struct BlendImageProcessor: ImageProcessor {
    public let identifier: String
    /// How the image is combined with the canvas.
    public let blendMode: BlendMode
    /// The factor for the image's alpha, 0...1.
    public let alpha: CGFloat
    /// The colour of the canvas; nil for transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Creates a processor that draws with `blendMode` at `alpha` on `backgroundColor`.
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

    static let step = StepDefinition(
        "blend:MODE[,A][,#COLOR]", example: "blend:multiply,#fc6",
        summary:
            "Draws the image with opacity A in 0...1 by a blend mode on the colour or a transparent canvas."
    ) {
        BlendImageProcessor(
            blendMode: try $0.blendMode(), alpha: try $0.numberIfAny(in: 0...1) ?? 1,
            backgroundColor: try $0.colorIfAny())
    }
}
