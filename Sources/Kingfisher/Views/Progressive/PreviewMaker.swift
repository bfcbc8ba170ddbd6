import Foundation
import KingfisherImage

/// Makes the image that a progressive JPEG gives so far, no larger than it is shown.
///
/// It looks as the whole image will: of the same size in points, turned upright, and through the same
/// processors. A processor that decodes to a size of its own gets the file; any other gets the image
/// decoded, blurred if it is to be, so that what a processor cuts out keeps its edges. Only processors whose
/// work looks the same on fewer pixels are given fewer.
struct PreviewMaker: Sendable {
    /// The longer side, in pixels, of an image whose place has no known size.
    static let usualSide = 1_024

    let options: KingfisherParsedOptionsInfo
    let isBlurred: Bool

    /// The image of `file`, whose `scans` first scans are there; nil when it is broken. `box` is where it
    /// is shown.
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
            let isReducible = stages.allSatisfy(\.looksTheSameOnFewerPixels)
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

    /// Decodes at n/8 of the full size where that is enough, with as many fewer pixels to the point.
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
    /// Whether the processor makes small images of large files by decoding no more than it takes.
    fileprivate var decodesToSize: Bool {
        self is DownsamplingImageProcessor || self is ViewSizeImageProcessor
    }

    /// Whether a smaller copy of an image, of the same size in points, comes out as a smaller copy.
    fileprivate var looksTheSameOnFewerPixels: Bool {
        switch self {
        case is DefaultImageProcessor: true
        case let rounding as RoundCornerImageProcessor: rounding.targetSize == nil
        default: false
        }
    }
}
