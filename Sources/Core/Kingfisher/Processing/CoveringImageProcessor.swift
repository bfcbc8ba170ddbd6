public import Foundation
import KingfisherImage

/// Decodes a file directly to the smallest size that covers a box, and crops it to the box.
///
/// The size comes from the file's header, and no more pixels are decoded than it needs. Every image is
/// unchanged if the box has no positive side.
public struct CoveringImageProcessor: ImageProcessor {
    /// What happens to an image that is smaller than the box on a side.
    public enum SmallImage: String, Hashable, Sendable {
        /// It is cropped to at most the size of the box.
        case crop
        /// It is cropped to the aspect ratio of the box.
        case cropToRatio = "ratio"
        /// It is enlarged, so that the result has the size of the box.
        case enlarge
    }

    /// The box in points; a side of 0 is not cropped.
    public let size: CGSize
    /// The point to keep, as fractions of the image's sides; (0, 0) is the top left.
    public let focus: CGPoint
    /// What happens to an image that is smaller than the box.
    public let smallImage: SmallImage
    public let identifier: String

    /// Creates a processor for results of `size` points that are centred on `focus`, as far as the image
    /// reaches.
    public init(
        size: CGSize, focus: CGPoint = CGPoint(x: 0.5, y: 0.5), smallImage: SmallImage = .crop
    ) {
        (self.size, self.focus, self.smallImage) = (size, focus, smallImage)
        let place = "\(ProcessorIdentifier.size(size))_\(ProcessorIdentifier.point(focus))"
        identifier = ProcessorIdentifier.make(
            "CoveringImageProcessor", smallImage == .crop ? place : "\(place)_\(smallImage.rawValue)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        let image = item.reduced(with: options) { decodedSize(of: $0, options: options) }
        guard let box = PixelBox(size, .covering, options) else { return image }
        let covering = smallImage == .enlarge ? image.flatMap { $0.scaled(upTo: box) } : image
        return covering?.drawn { pixels throws(ImageCodecError) in
            let area = area(of: pixels.size, in: box.size)
            return area.size == pixels.size ? nil : try pixels.cropped(to: area)
        }
    }

    static let step = StepDefinition(
        "cover:WxH[,X,Y|GRAVITY][,enlarge|ratio]", example: "cover:300x200,top",
        summary:
            "Shrinks while decoding to cover W x H pixels, then crops around X,Y in 0...1, by default 0.5,0.5. "
            + "A smaller image is only cropped, with ratio to that aspect ratio, or enlarged first."
    ) {
        CoveringImageProcessor(
            size: try $0.size(allowsFreeSide: true), focus: try $0.anchor(),
            smallImage: try $0.choiceIfAny(of: ["enlarge": .enlarge, "ratio": .cropToRatio]) ?? .crop)
    }

    /// What remains of an image; `box` may have a side of 0.
    func area(of image: PixelSize, in box: PixelSize) -> PixelArea {
        let part = part(of: image, in: box)
        return PixelArea(
            x: Self.start(part.width, of: image.width, focus.x),
            y: Self.start(part.height, of: image.height, focus.y), size: part)
    }

    /// The size of the part that remains of an image; `box` may have a side of 0.
    private func part(of image: PixelSize, in box: PixelSize) -> PixelSize {
        var (width, height) = (Double(box.width), Double(box.height))
        if smallImage == .cropToRatio, width > 0, height > 0 {
            let ratio = min(Double(image.width) / width, Double(image.height) / height, 1)
            (width, height) = ((width * ratio).rounded(), (height * ratio).rounded())
        }
        return PixelSize(
            width: box.width > 0 ? min(max(Int(width), 1), image.width) : image.width,
            height: box.height > 0 ? min(max(Int(height), 1), image.height) : image.height)
    }

    /// Where a part of a side begins so that its centre is at `focus`, as far as the side reaches. NaN counts
    /// as 0.
    private static func start(_ part: Int, of whole: Int, _ focus: CGFloat) -> Int {
        let center = min(max(0, focus), 1) * CGFloat(whole)
        return min(max(Int((center - CGFloat(part) / 2).rounded()), 0), whole - part)
    }
}

extension CoveringImageProcessor: ReducingImageProcessor {
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        PixelBox(size, .covering, options)?.shrunkSize(of: full)
    }

    func resultSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        guard let box = PixelBox(size, .covering, options) else { return nil }
        let decoded = box.shrunkSize(of: full) ?? full
        // An enlarged image is in memory before it is cropped.
        if smallImage == .enlarge, box.ratio(for: full) > 1 { return box.scaledSize(of: full) }
        let part = part(of: decoded, in: box.size)
        return part == decoded ? nil : part
    }
}
