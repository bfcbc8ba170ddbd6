public import Foundation

/// Places an image on a canvas of one colour; see `Image.kf.padded(to:anchorOn:color:)`.
public struct PaddingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The size of the canvas in points.
    public let size: CGSize
    /// The position of the image: (0, 0) is the top left, (1, 1) the bottom right.
    public let anchor: CGPoint
    /// The colour of the added area.
    public let color: KFCrossPlatformColor

    /// Creates a processor for a canvas of `size` points, by default transparent, the image in the centre.
    public init(
        size: CGSize, anchor: CGPoint = CGPoint(x: 0.5, y: 0.5), color: KFCrossPlatformColor = .clear
    ) {
        (self.size, self.anchor, self.color) = (size, anchor, color)
        let place = "\(ProcessorIdentifier.size(size))_\(ProcessorIdentifier.point(anchor))"
        identifier = ProcessorIdentifier.make("PaddingImageProcessor", "\(place)_\(color.identifier)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.padded(to: size, anchorOn: anchor, color: color)
    }
}

/// Removes a border of one colour; see `Image.kf.trimmed(tolerance:)`.
public struct TrimmingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The largest difference of a channel that counts as the same colour, 0...1.
    public let tolerance: CGFloat

    /// Creates a processor that removes pixels like the top left one from the edges.
    public init(tolerance: CGFloat = 0.04) {
        self.tolerance = tolerance
        identifier = ProcessorIdentifier.make("TrimmingImageProcessor", "\(tolerance)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.trimmed(tolerance: tolerance)
    }
}

/// Fills a size and crops around a focal point; see `Image.kf.resize(toFill:focus:)`.
public struct FocalCroppingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The size of the result in points.
    public let size: CGSize
    /// The point to keep, as fractions of the image's sides; (0, 0) is the top left.
    public let focus: CGPoint

    /// Creates a processor for results of `size` points that are centred on `focus`, if possible.
    public init(size: CGSize, focus: CGPoint) {
        (self.size, self.focus) = (size, focus)
        identifier = ProcessorIdentifier.make(
            "FocalCroppingImageProcessor",
            "\(ProcessorIdentifier.size(size))_\(ProcessorIdentifier.point(focus))")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.resize(toFill: size, focus: focus)
    }
}
