public import Foundation

/// Cuts a rectangle out of an image: as much of it as lies inside.
///
/// A rectangle of which nothing does, or that is made of no numbers, leaves the image as it is.
public struct CroppingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The rectangle's size, in points.
    public let size: CGSize
    /// Where the rectangle lies: (0, 0) at the top left, (1, 1) at the bottom right.
    public let anchor: CGPoint

    /// Cuts out `size` points at `anchor`, the middle by default.
    public init(size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)) {
        self.size = size
        self.anchor = anchor
        identifier = ProcessorIdentifier.make(
            "CroppingImageProcessor", "\(ProcessorIdentifier.size(size))_\(ProcessorIdentifier.point(anchor))"
        )
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.crop(to: size, anchorOn: anchor)
    }
}
