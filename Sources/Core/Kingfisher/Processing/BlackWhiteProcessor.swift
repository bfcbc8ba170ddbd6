import Foundation

/// Converts an image to greyscale, 0.7 f-stops lighter than its luminance.
public struct BlackWhiteProcessor: ImageProcessor {
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        ColorControlsProcessor(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7)
            .process(item: item, options: options)
    }

    static let step = StepDefinition(
        "bw", example: "bw",
        summary: "Converts to greyscale, 0.7 f-stops lighter."
    ) { _ in BlackWhiteProcessor() }
}
