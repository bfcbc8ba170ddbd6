import Foundation
import KingfisherImage

/// Decodes a file at most at the size of its view, then applies the caller's processor.
///
/// Images are never enlarged. Animations are passed to `next` unchanged. If `next` processes every frame,
/// frames are reduced before it, as a still image is; without `next`, the player reduces them.
struct ViewSizeImageProcessor: CompositeImageProcessor {
    private let box: ViewPixelBox
    private let next: any ImageProcessor
    let identifier: String

    init(_ box: ViewPixelBox, next: any ImageProcessor) {
        self.box = box
        self.next = next
        let size = CGSize(width: box.size.width, height: box.size.height)
        let own = ProcessorIdentifier.make(
            "ViewSizeImageProcessor",
            "\(ProcessorIdentifier.size(size)), \(box.pixels.fit.rawValue), \(box.scale)")
        identifier = next.identifier.isEmpty ? own : "\(own)|>\(next.identifier)"
    }

    var stages: [any ImageProcessor] {
        next.identifier.isEmpty ? [] : [shrinking] + next.stages
    }

    /// A file that no codec reads is decoded by the first stage of `next`, and reduced before the others.
    func stages(decoding file: Data) -> [any ImageProcessor] {
        guard file.imageHeader() == nil else { return stages }
        var stages = next.stages(decoding: file)
        stages.insert(shrinking, at: min(1, stages.count))
        return stages
    }

    func decodesFile(_ file: Data) -> Bool {
        next.decodesFile(file) || file.imageHeader()?.frameCount == 1
    }

    var shrinking: ViewSizeImageProcessor {
        ViewSizeImageProcessor(box, next: DefaultImageProcessor.default)
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            return next.process(item: .image(shrunk(image)), options: options)
        case .data(let data):
            guard let header = data.imageHeader(acceptsPartialImages: options.acceptsPartialImages) else {
                let stages = stages(decoding: data)
                return stages.dropFirst().reduce(stages.first?.process(item: item, options: options)) {
                    image, stage in
                    image.flatMap { stage.process(item: .image($0), options: options) }
                }
            }
            guard header.frameCount == 1 else { return next.process(item: item, options: options) }
            let image = try? Image.downsample(
                data, scale: box.scale, acceptsPartialImages: options.acceptsPartialImages, to: box.target)
            guard let image else { return nil }
            return next.process(item: .image(image), options: options)
        }
    }

    private func shrunk(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.isStill ? image.kf.downsampled(scale: box.scale, to: box.target) : image
    }
}

extension ViewSizeImageProcessor: ReducingImageProcessor {
    func decodedSize(of full: PixelSize, options: KingfisherParsedOptionsInfo) -> PixelSize? {
        box.target(for: full)
    }
}

extension KingfisherParsedOptionsInfo {
    func decoding(to size: DecodedSize?) -> KingfisherParsedOptionsInfo {
        guard let size else { return self }
        var options = self
        // The original on disk provides other sizes without a request.
        options.cacheOriginalImage = true
        if case .box(let box) = size {
            let framewise = processor as? FramewiseImageProcessor
            let sized = ViewSizeImageProcessor(box, next: framewise?.plain ?? processor)
            options.processor = framewise == nil ? sized : sized.framewise
            options.scaleFactor = box.scale
        }
        return options
    }
}
