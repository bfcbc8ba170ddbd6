import Foundation

/// Decodes bytes; rescales an image to the scale factor of the options. Its identifier is empty.
public struct DefaultImageProcessor: ImageProcessor {
    /// The processor of requests that name none.
    public static let `default` = DefaultImageProcessor()

    public let identifier = ""

    public init() {}

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        switch item {
        case .image(let image):
            image.kf.scaled(to: options.scaleFactor)
        case .data(let data):
            KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options.imageCreatingOptions)
        }
    }
}

extension ImageProcessItem {
    /// The item as an image at the options' scale: decoded, or rescaled.
    func decoded(with options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: self, options: options)
    }
}
