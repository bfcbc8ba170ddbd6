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

    static let step = StepDefinition(
        "pad:WxH[,AX,AY|GRAVITY][,#COLOR]", example: "pad:600x600,#fff",
        summary: "Places the image on a canvas of at least W x H pixels, transparent or in a colour."
    ) {
        PaddingImageProcessor(
            size: try $0.size(), anchor: try $0.anchor(), color: try $0.colorIfAny() ?? .clear)
    }
}

/// Adds edges of one colour; see `Image.kf.padded(top:right:bottom:left:color:)`.
public struct MarginImageProcessor: ImageProcessor {
    public let identifier: String
    /// The widths of the edges in points.
    public let top: CGFloat, right: CGFloat, bottom: CGFloat, left: CGFloat
    /// The colour of the edges.
    public let color: KFCrossPlatformColor

    /// Creates a processor that adds edges in points, by default transparent.
    public init(
        top: CGFloat, right: CGFloat, bottom: CGFloat, left: CGFloat, color: KFCrossPlatformColor = .clear
    ) {
        (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
        self.color = color
        identifier = ProcessorIdentifier.make(
            "MarginImageProcessor", "(\(top), \(right), \(bottom), \(left))_\(color.identifier)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.padded(
            top: top, right: right, bottom: bottom, left: left, color: color)
    }

    static let step = StepDefinition(
        "margin:T,R,B,L[,#COLOR]", example: "margin:10,20,10,20,#fff",
        summary: "Adds pixels at the top, right, bottom and left, transparent or in a colour."
    ) {
        let bounds = 0.0...32_768
        let margin = MarginImageProcessor(
            top: try $0.number(in: bounds), right: try $0.number(in: bounds),
            bottom: try $0.number(in: bounds), left: try $0.number(in: bounds),
            color: try $0.colorIfAny() ?? .clear)
        $0.parsedSize = CGSize(width: margin.left + margin.right, height: margin.top + margin.bottom)
        return margin
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

    static let step = StepDefinition(
        "trim[:T]", example: "trim:0.05",
        summary:
            "Removes edges in the colour of the top left pixel, with a tolerance T in 0...1, 0.04 by default."
    ) {
        TrimmingImageProcessor(tolerance: try $0.numberIfAny(in: 0...1) ?? 0.04)
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

    static let step = StepDefinition(
        "focus:WxH,X,Y", example: "focus:200x200,0.3,0.6",
        summary: "Fills W x H pixels and crops around the point X,Y in 0...1, which stays visible."
    ) {
        FocalCroppingImageProcessor(size: try $0.size(), focus: try $0.point())
    }
}
