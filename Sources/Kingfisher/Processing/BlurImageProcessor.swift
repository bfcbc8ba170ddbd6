public import Foundation

/// Blurs an image with an approximation of a Gaussian by three box filters.
public struct BlurImageProcessor: ImageProcessor {
    public let identifier: String
    /// The standard deviation in pixels; below 2 counts as 2, in fewer passes.
    public let blurRadius: CGFloat

    /// Blurs by `blurRadius` pixels.
    public init(blurRadius: CGFloat) {
        self.blurRadius = blurRadius
        identifier = ProcessorIdentifier.make("BlurImageProcessor", "\(blurRadius)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.blurred(withRadius: blurRadius)
    }
}
