import Foundation
import KingfisherImage

/// Creates a preview from the received scans of a progressive JPEG, no larger than it is shown.
///
/// A preview looks like the complete image: same size in points, same orientation, same processors. A
/// processor that decodes to a target size gets the file. Any other gets the decoded image, blurred if
/// required, so that edges made by processors stay sharp. The image is decoded at a reduced size only if all
/// processors are independent of resolution.
struct PreviewMaker: Sendable {
    /// The longer side in pixels of a preview whose display size is unknown.
    static let usualSide = 1_024

    let options: KingfisherParsedOptionsInfo
    let isBlurred: Bool

    /// Creates a preview of `file`, which contains the first `scans` scans; nil if it is corrupt. `box` is
    /// the area to fill.
    func image(of file: Data, scans: Int, box: ViewPixelBox?) -> KFCrossPlatformImage? {
        options.decodingContext.run { made(of: file, scans: scans, box: box) }
    }

    private func made(of file: Data, scans: Int, box: ViewPixelBox?) -> KFCrossPlatformImage? {
        let given = (options.processor as? FramewiseImageProcessor)?.plain ?? options.processor
        var stages = (given is ViewSizeImageProcessor ? [given] : given.stages(decoding: file))[...]
        var options = options
        var image: KFCrossPlatformImage?
        if let first = stages.first, first.decodesToSize {
            stages = given is ViewSizeImageProcessor ? given.stages.dropFirst() : stages.dropFirst()
            let shrinking = (first as? ViewSizeImageProcessor)?.shrinking ?? first
            image = shrinking.process(item: .data(file), options: options)
        } else {
            let isReducible = stages.allSatisfy(\.isIndependentOfResolution)
            image = decode(file, to: isReducible ? box : nil, reduces: isReducible)
            if isReducible, let image { options.scaleFactor = image.scale }
        }
        if isBlurred, let radius = PreviewPlan.blurRadius(scans: scans) {
            image = image?.kf.blurred(withRadius: radius)
        }
        for stage in stages {
            image = image.flatMap { stage.process(item: .image($0), options: options) }
        }
        guard let image else { return nil }
        return options.imageModifier.map { $0.modify(image) } ?? image
    }

    /// Decodes at n/8 of the full size if that is enough, with a proportionally lower scale.
    private func decode(_ file: Data, to box: ViewPixelBox?, reduces: Bool) -> KFCrossPlatformImage? {
        let codec = JPEGCodec()
        guard let full = try? codec.header(of: file).displaySize else { return nil }
        let target =
            if let box {
                box.target(for: full)
            } else {
                full.shrunk(toLongerSide: Double(Self.usualSide))
            }
        guard let pixels = try? codec.decode(file, minimumSize: reduces ? target : nil) else { return nil }
        let scale = options.scaleFactor * Double(pixels.width) / Double(full.width)
        return KFCrossPlatformImage(pixels: pixels, scale: scale)
    }
}

extension ImageProcessor {
    fileprivate var decodesToSize: Bool {
        self is DownsamplingImageProcessor || self is ViewSizeImageProcessor
    }

    /// Whether processing a smaller copy of an image, of the same size in points, gives a smaller copy of the
    /// result.
    fileprivate var isIndependentOfResolution: Bool {
        switch self {
        case is DefaultImageProcessor: true
        case let rounding as RoundCornerImageProcessor: rounding.targetSize == nil
        default: false
        }
    }
}
