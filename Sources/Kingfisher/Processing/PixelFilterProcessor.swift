import Foundation

/// A processor that applies a filter; a type of one's own needs no more than an identifier and the filter.
public protocol PixelFilterProcessor: ImageProcessor {
    /// What is done to the image.
    var filter: Filter { get }
}

extension PixelFilterProcessor {
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.apply(filter)
    }
}
