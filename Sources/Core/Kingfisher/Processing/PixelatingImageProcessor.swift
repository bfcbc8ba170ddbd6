public import Foundation

/// Replaces squares of pixels with their mean; see `Image.kf.pixelated(blockSize:)`.
public struct PixelatingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The side of a square in points.
    public let blockSize: CGFloat

    /// Creates a processor for squares of `blockSize` points.
    public init(blockSize: CGFloat) {
        self.blockSize = blockSize
        identifier = ProcessorIdentifier.make("PixelatingImageProcessor", "\(blockSize)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.pixelated(blockSize: blockSize)
    }

    static let step = StepDefinition(
        "pixelate:N", example: "pixelate:12", summary: "Replaces squares of N x N pixels with their mean."
    ) {
        PixelatingImageProcessor(blockSize: try $0.number(in: 1...32_768))
    }
}

extension PixelatingImageProcessor: ImageFileProcessor {}
