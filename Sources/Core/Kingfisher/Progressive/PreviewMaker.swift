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

    /// The size in pixels that an image of `full` pixels needs where it is shown; nil if it needs all.
    typealias Target = @Sendable (_ full: PixelSize) -> PixelSize?

    /// Creates a preview of `file`, which contains the first `scans` scans; nil if it is corrupt. Without a
    /// `target`, the display size is unknown.
    func image(of file: Data, scans: Int, target: Target?) -> KFCrossPlatformImage? {
        options.decodingContext.run {
            DecodingWork.run { made(of: file, scans: scans, target: target) }
        }
    }

    private func made(of file: Data, scans: Int, target: Target?) -> KFCrossPlatformImage? {
        let given = (options.processor as? FramewiseImageProcessor)?.plain ?? options.processor
        var stages = given.stages(decoding: file)[...]
        // A processor without stages reduces the file itself.
        if stages.isEmpty { stages = [given] }
        var options = options
        var image: KFCrossPlatformImage?
        if let reducing = stages.first as? any ReducingImageProcessor {
            stages = stages.dropFirst()
            image = reducing.process(item: .data(file), options: options)
        } else {
            let isReducible = stages.allSatisfy(\.isIndependentOfResolution)
            image = decode(file, to: isReducible ? target : nil, reduces: isReducible)
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
    private func decode(_ file: Data, to target: Target?, reduces: Bool) -> KFCrossPlatformImage? {
        guard let codec = ImageCodecs.codec(for: .JPEG),
            let decoder = try? codec.open(EncodedFile(file))
        else { return nil }
        let full = decoder.header.displaySize
        let size =
            if let target {
                target(full)
            } else {
                full.shrunk(toLongerSide: Double(Self.usualSide))
            }
        let least = reduces ? size.map { DecodingTarget.atLeast($0) } : nil
        guard let pixels = try? decoder.decode(least ?? .full) else { return nil }
        let scale = options.scaleFactor * Double(pixels.width) / Double(full.width)
        return KFCrossPlatformImage(pixels: pixels, scale: scale)
    }
}

extension ImageProcessor {
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
