public import Foundation

/// Blurs an image with an approximation of a Gaussian by three box filters.
public struct BlurImageProcessor: ImageProcessor {
    public let identifier: String
    /// The standard deviation in pixels. A value below 2 counts as 2, with fewer passes.
    public let blurRadius: CGFloat

    /// Creates a processor that blurs by `blurRadius` pixels.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier = ProcessorIdentifier.make("BlurImageProcessor", "\(blurRadius)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.blurred(withRadius: blurRadius)
    }

    static let step = StepDefinition(
        "blur:R", example: "blur:5",
        summary: "Blurs with a radius of R pixels."
    ) {
        BlurImageProcessor(blurRadius: try $0.number(in: 0.1...1_000))
    }
}
