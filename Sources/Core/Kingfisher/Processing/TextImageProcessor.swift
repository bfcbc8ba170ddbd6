public import Foundation
import KingfisherImage

/// Draws a line of text over an image, in a sans-serif font of the system.
///
/// The text is rendered by the registered codec of SVG (`KingfisherSVG`), in a decoder process if SVG is
/// isolated. It is one line; where it would be larger than the image, its font is smaller. Its distance to
/// the edges is about a quarter of the size of the font. If text cannot be drawn, the result is nil;
/// ``fault`` says why.
///
/// Rendering takes milliseconds for each image and each frame of an animation. The result is RGBA of the same
/// depth, and depends on the fonts that are installed.
public struct TextImageProcessor: ImageProcessor {
    public let identifier: String
    /// What is drawn. Control characters and line breaks have become U+FFFD; characters after 256 bytes are
    /// omitted.
    public let text: String
    /// The position of the text: (0, 0) is the top left, (1, 1) the bottom right.
    public let anchor: CGPoint
    /// The size of the font, in points or as a fraction of a side of the image.
    public let size: Radius
    /// The colour of the letters, drawn with 8 bits for each component.
    public let color: KFCrossPlatformColor

    /// Creates a processor that draws `text`, by default white at the bottom right, 5 % of the image high.
    public init(
        _ text: String, anchor: CGPoint = CGPoint(x: 1, y: 1), size: Radius = .heightFraction(0.05),
        color: KFCrossPlatformColor = .white
    ) {
        self.text = TextDrawing(text, color: color).text
        (self.anchor, self.size, self.color) = (anchor, size, color)
        let place = "\(ProcessorIdentifier.point(anchor))_\(size.radiusIdentifier)"
        // Equal strings may have different bytes.
        identifier = ProcessorIdentifier.make(
            "TextImageProcessor", "\(Base64URL.encode(Array(self.text.utf8)))_\(place)_\(color.hexadecimal)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        guard let image = item.decoded(with: options) else { return nil }
        let points = size.compute(with: image.size)
        guard let whole = PixelSize(points: image.size, scale: image.scale), points.isFinite, points > 0,
            !anchor.x.isNaN, !anchor.y.isNaN
        else { return image }
        do throws(ImageCodecError) {
            let drawing = TextDrawing(text, color: color)
            guard let line = try drawing.rendered(size: points * image.scale, within: whole) else {
                return image
            }
            return image.kf.watermarked(with: Image(pixels: line, scale: image.scale), anchorOn: anchor)
        } catch {
            return nil
        }
    }

    /// Why no text can be drawn, as a sentence fragment for a message; nil if it can.
    ///
    /// Draws a letter on the caller's thread, with the codec of the current `DecodingContext`. Use it to
    /// report a failure, not before each load.
    public static var fault: String? {
        do throws(ImageCodecError) {
            let size = PixelSize(width: 16, height: 16)
            _ = try TextDrawing("a", color: .black).rendered(size: 8, within: size)
            return nil
        } catch {
            return error.localizedDescription
        }
    }

    static let step = StepDefinition(
        "text:BASE64URL[,AX,AY|GRAVITY[,SIZE]][,#COLOR]", example: "text:S2luZ2Zpc2hlcg,bottomLeft,10%h,#fff",
        summary: """
            Draws a line of text, by default in white at the bottom right with letters of 5%h; smaller if it \
            does not fit.
            """
    ) {
        TextImageProcessor(
            try $0.line(), anchor: try $0.anchor(default: CGPoint(x: 1, y: 1)),
            size: try $0.radiusIfAny(in: 1...32_768) ?? .heightFraction(0.05),
            color: try $0.colorIfAny() ?? .white)
    }
}
