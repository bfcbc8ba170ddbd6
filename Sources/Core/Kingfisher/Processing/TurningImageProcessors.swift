import Foundation
public import KingfisherImage

/// Turns an image clockwise by a multiple of 90 degrees, without loss; see
/// `Image.kf.rotated(byQuarterTurns:)`.
public struct RotationImageProcessor: ImageProcessor {
    public let identifier: String
    /// The number of quarter turns, 0...3.
    public let quarterTurns: Int

    /// Creates a processor for a number of clockwise quarter turns; negative ones are counter-clockwise.
    public init(quarterTurns: Int) {
        self.quarterTurns = quarterTurns & 3
        identifier = ProcessorIdentifier.make("RotationImageProcessor", "\(self.quarterTurns)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.rotated(byQuarterTurns: quarterTurns)
    }

    static let step = StepDefinition(
        "rotate:90|180|270", example: "rotate:90",
        summary: "Turns clockwise by a multiple of 90 degrees, without loss."
    ) {
        RotationImageProcessor(quarterTurns: try $0.choice(of: ["90": 1, "180": 2, "270": 3]))
    }
}

/// Mirrors an image, without loss; see `Image.kf.flipped(_:)`.
public struct FlippingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The sides that are exchanged.
    public let axis: FlipAxis

    /// Creates a processor that exchanges left and right, or top and bottom.
    public init(_ axis: FlipAxis) {
        self.axis = axis
        identifier = ProcessorIdentifier.make("FlippingImageProcessor", axis.rawValue)
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.flipped(axis)
    }

    static let step = StepDefinition(
        "flip:horizontal|vertical", example: "flip:horizontal",
        summary: "Exchanges left and right, or top and bottom, without loss."
    ) {
        FlippingImageProcessor(try $0.choice(of: ["horizontal": .horizontal, "vertical": .vertical]))
    }
}
