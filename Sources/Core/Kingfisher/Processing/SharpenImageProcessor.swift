public import Foundation

/// Sharpens an image by an unsharp mask; see `Image.kf.sharpened(radius:amount:)`.
public struct SharpenImageProcessor: ImageProcessor {
    public let identifier: String
    /// The standard deviation of the mask in pixels, 0.3...10.
    public let radius: CGFloat
    /// The factor for the difference to the mask; 0 changes nothing.
    public let amount: CGFloat

    /// Creates a processor for details of about `radius` pixels.
    public init(radius: CGFloat = 1, amount: CGFloat = 1) {
        (self.radius, self.amount) = (radius, amount)
        identifier = ProcessorIdentifier.make("SharpenImageProcessor", "\(radius)_\(amount)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.sharpened(radius: radius, amount: amount)
    }

    static let step = StepDefinition(
        "sharpen:R[,S]", example: "sharpen:1,0.8",
        summary: "Sharpens details of about R pixels, by the strength S, 1 by default."
    ) {
        SharpenImageProcessor(
            radius: try $0.number(in: 0.3...10), amount: try $0.numberIfAny(in: 0...10) ?? 1)
    }
}
