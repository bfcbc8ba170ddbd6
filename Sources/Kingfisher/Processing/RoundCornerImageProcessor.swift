public import Foundation

/// Rounds corners, with antialiased edges; the corners become transparent or take a background colour.
///
/// Transparency needs a format that has it: set `FormatIndicatedCacheSerializer.png` beside this processor
/// when the originals are JPEG, which shows white or the background colour there.
///
/// A target size that makes no pixels, or too many, and a radius that is no number leave the image as it
/// is; other radii count as the nearest from 0 to half the shorter side.
public struct RoundCornerImageProcessor: ImageProcessor {
    public let identifier: String
    /// The radius, in points or as a fraction of a side.
    public let radius: Radius
    /// The corners that are rounded.
    public let roundingCorners: RectCorner
    /// The size of the result in points; the image's own when nil.
    public let targetSize: CGSize?
    /// What shows behind the corners; nothing when nil.
    public let backgroundColor: KFCrossPlatformColor?

    /// Rounds by `cornerRadius` points.
    public init(
        cornerRadius: CGFloat, targetSize: CGSize? = nil, roundingCorners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.init(
            radius: .point(cornerRadius), targetSize: targetSize, roundingCorners: roundingCorners,
            backgroundColor: backgroundColor)
    }

    /// Rounds by `radius`.
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
        // An image's own size counts as it was before the scale factor changed it.
        return image.kf.image(
            withRadius: radius, fit: targetSize ?? (original ?? image).size, roundingCorners: roundingCorners,
            backgroundColor: backgroundColor)
    }
}
