import Foundation

/// Decodes data, or changes the scale of an image to the scale factor of the options. Its identifier is
/// empty.
public struct DefaultImageProcessor: ImageProcessor {
    /// The processor of requests that do not specify one.
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
    func decoded(with options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: self, options: options)
    }
}
