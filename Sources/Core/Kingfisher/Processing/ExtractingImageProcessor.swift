public import Foundation

/// Cuts out a rectangle by its position; see `Image.kf.crop(to:)`.
///
/// Fails if no part of the image is inside the rectangle.
public struct ExtractingImageProcessor: ImageProcessor {
    public let identifier: String
    /// The rectangle in points from the top left.
    public let rect: CGRect

    /// Creates a processor that keeps what is inside `rect`, in points.
    public init(rect: CGRect) {
        self.rect = rect
        identifier = ProcessorIdentifier.make(
            "ExtractingImageProcessor",
            "\(ProcessorIdentifier.point(rect.origin))_\(ProcessorIdentifier.size(rect.size))")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        guard let image = item.decoded(with: options) else { return nil }
        let overlap = CGRect(origin: .zero, size: image.size).intersection(rect)
        return overlap.width > 0 && overlap.height > 0 ? image.kf.crop(to: rect) : nil
    }

    static let step = StepDefinition(
        "cut:X,Y,WxH", example: "cut:10,20,200x100",
        summary: "Cuts out W x H pixels, X from the left and Y from the top, as far as the image reaches."
    ) {
        ExtractingImageProcessor(rect: try $0.rectangle())
    }
}

extension ExtractingImageProcessor: ImageFileProcessor {}
