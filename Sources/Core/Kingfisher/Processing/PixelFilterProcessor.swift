import Foundation

/// A processor that applies a filter. A conforming type implements only `identifier` and `filter`.
public protocol PixelFilterProcessor: ImageProcessor {
    /// The filter.
    var filter: Filter { get }
}

extension PixelFilterProcessor {
    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.apply(filter)
    }
}
