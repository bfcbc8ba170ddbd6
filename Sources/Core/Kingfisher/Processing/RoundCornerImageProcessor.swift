public import Foundation

/// Rounds corners, with antialiased edges. The corners are transparent or have a background colour.
///
/// Transparency requires a format with alpha: for JPEG originals, also set
/// `FormatIndicatedCacheSerializer.png`; otherwise corners are white or have the background colour.
///
/// If the target size has no pixels, or too many, or the radius is NaN, the image is unchanged. Other radii
/// are clamped to 0 through half the shorter side.
public struct RoundCornerImageProcessor: ImageProcessor {
    public let identifier: String
    /// The radius, in points or as a fraction of a side.
    public let radius: Radius
    /// The corners that are rounded.
    public let roundingCorners: RectCorner
    /// The size of the result in points; nil for the image's size.
    public let targetSize: CGSize?
    /// The colour behind the corners; nil for transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Creates a processor that rounds by `cornerRadius` points.
    public init(
        cornerRadius: CGFloat, targetSize: CGSize? = nil, roundingCorners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.init(
            radius: .point(cornerRadius), targetSize: targetSize, roundingCorners: roundingCorners,
            backgroundColor: backgroundColor)
    }

    /// Creates a processor that rounds by `radius`.
    public init(
        radius: Radius, targetSize: CGSize? = nil, roundingCorners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.radius = radius
        self.targetSize = targetSize
        self.roundingCorners = roundingCorners
        self.backgroundColor = backgroundColor
        var arguments = radius.radiusIdentifier
        if let targetSize { arguments += "_\(ProcessorIdentifier.size(targetSize))" }
        arguments += roundingCorners.cornerIdentifier
        identifier =
            ProcessorIdentifier.make("RoundCornerImageProcessor", arguments)
            + (backgroundColor.map { "_\($0.identifier)" } ?? "")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        let original: KFCrossPlatformImage? = if case .image(let image) = item { image } else { nil }
        guard let image = item.decoded(with: options) else { return nil }
        // The default target size is the size of the input image, before the scale factor changed it.
        return image.kf.image(
            withRadius: radius, fit: targetSize ?? (original ?? image).size, roundingCorners: roundingCorners,
            backgroundColor: backgroundColor)
    }

    static let step = StepDefinition(
        "round:R[,CORNERS][,#COLOR]", example: "round:20,tl+br",
        summary: "Rounds corners by R; the area outside shows the colour, or is transparent."
    ) {
        RoundCornerImageProcessor(
            radius: try $0.radius(in: 0.1...32_768), roundingCorners: try $0.corners(),
            backgroundColor: try $0.colorIfAny())
    }
}
