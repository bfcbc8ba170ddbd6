public import Foundation
import KingfisherImage

/// Decodes a file directly to a size inside a box, with the same aspect ratio.
///
/// Neither side is longer than the box's. The size comes from the file's header, and no more
/// pixels are decoded than it needs. An image without pixels for the box is unchanged, or enlarged if asked
/// for, and so is every image if the box has no positive side.
public struct FittingImageProcessor: ImageProcessor {
    /// The box in points; a side of 0 sets no limit.
    public let size: CGSize
    /// Whether a smaller image is enlarged to the box.
    public let enlarges: Bool
    public let identifier: String

    /// Creates a processor that fits images inside `size` points.
    public init(size: CGSize, enlarges: Bool = false) {
        (self.size, self.enlarges) = (size, enlarges)
        identifier = ProcessorIdentifier.make(
            "FittingImageProcessor", ProcessorIdentifier.size(size) + (enlarges ? "_enlarge" : ""))
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        let image = item.reduced(with: options) { decodedSize(of: $0, options: options) }
        guard enlarges, let box = PixelBox(size, .inside, options) else { return image }
        return image?.scaled(upTo: box)
    }

    static let step = StepDefinition(
        "fit:WxH[,enlarge]", example: "fit:300x200",
        summary: "Shrinks while decoding, inside W x H pixels; a side of 0 is free. Enlarges if asked for."
    ) {
        FittingImageProcessor(
            size: try $0.size(allowsFreeSide: true),
            enlarges: try $0.choiceIfAny(of: ["enlarge": true]) ?? false)
    }
}

extension FittingImageProcessor: ReducingImageProcessor {
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        PixelBox(size, .inside, options)?.shrunkSize(of: full)
    }

    func resultSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        guard enlarges, let box = PixelBox(size, .inside, options), box.ratio(for: full) > 1 else {
            return nil
        }
        return box.scaledSize(of: full)
    }
}

extension PixelBox {
    /// The box of `size` points, rounded to pixels; nil if it has no positive side.
    init?(_ size: CGSize, _ fit: Fit, _ options: KingfisherParsedOptionsInfo) {
        func pixels(_ length: CGFloat) -> Int {
            let length = length * options.scaleFactor
            // Rounding to 0 would make the side free. NaN is smaller than no number.
            return length > 0 ? Int(max(min(length, 1e6).rounded(), 1)) : 0
        }
        let sides = PixelSize(width: pixels(size.width), height: pixels(size.height))
        guard sides.width > 0 || sides.height > 0 else { return nil }
        self.init(sides, fit)
    }
}

extension KFCrossPlatformImage {
    /// The image enlarged to `box`; itself if it is not smaller, and nil above the limits for pixels.
    func scaled(upTo box: PixelBox) -> KFCrossPlatformImage? {
        let enlarged = drawn { pixels throws(ImageCodecError) in
            guard box.ratio(for: pixels.size) > 1 else { return nil }
            return try pixels.resized(to: box.scaledSize(of: pixels.size))
        }
        // One that was not enlarged because of the limits must not pass for one that was.
        guard enlarged === self, let size = kf.normalized.pixels?.size else { return enlarged }
        return box.ratio(for: size) > 1 ? nil : self
    }
}
