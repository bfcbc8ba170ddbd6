public import Foundation

/// Blurs a picture with an approximation of a Gaussian by three box filters.
public struct BlurImageProcessor: ImageProcessor {
    public let identifier: String
    /// The radius in points; at least 2 has an effect.
    public let blurRadius: CGFloat

    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier = ProcessorIdentifier.make("BlurImageProcessor", "\(blurRadius)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.blurred(withRadius: blurRadius)
    }
}
