import Foundation
import KingfisherImage

/// Applies a processor to every frame of an animation, on demand; see `ImageProcessor.framewise`.
///
/// A file of a registered format is decoded first, and each frame then passes through all stages. Any other
/// file is decoded by the first stage; if the result has frames, the other stages process each of them.
struct FramewiseImageProcessor: CompositeImageProcessor {
    /// The processor for a still image of the first frame.
    let plain: any ImageProcessor
    let stages: [any ImageProcessor]
    let identifier: String

    init(plain: any ImageProcessor, stages: [any ImageProcessor]) {
        self.plain = plain
        self.stages = stages
        identifier = ProcessorIdentifier.make(
            "FramewiseImageProcessor", stages.map(\.identifier).joined(separator: "|>"))
    }

    func stages(decoding file: Data) -> [any ImageProcessor] { plain.stages(decoding: file) }

    func decodesFile(_ file: Data) -> Bool { plain.decodesFile(file) }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard !options.onlyLoadFirstFrame else { return plain.process(item: item, options: options) }
        // Intermediate animations are not displayed, so their frames are not preloaded.
        var lazily = options
        lazily.preloadAllAnimationData = false
        var rest = stages[...]
        var image: KFCrossPlatformImage?
        switch item {
        case .image(let input): image = input.withAllFrames
        case .data(let data) where data.isAnimation(options): image = item.decoded(with: lazily)
        case .data(let data):
            rest = stages(decoding: data)[...]
            image = rest.popFirst()?.process(item: item, options: lazily)
        }
        for stage in rest { image = image.flatMap { Self.apply(stage, to: $0, options: lazily) } }
        return image?.holdingFrames(as: options.imageCreatingOptions)
    }

    private static func apply(
        _ processor: any ImageProcessor, to image: KFCrossPlatformImage, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        // `framesToKeep` is a copy without the canvas of the first frame.
        guard let frames = image.framesToKeep else {
            return processor.process(item: .image(image), options: options)
        }
        let step = FrameStep(processor, options: options.forRetention, frameOf: image)
        guard let first = image.images == nil ? image.pixels : image.animationFrames?.frame(at: 0),
            let made = step.process(first)
        else { return nil }
        // The processor did not change the frame, so the file is still valid.
        if step.leavesUnchanged(first, in: made) { return image.kf.scaled(to: made.scale) }
        let upright = made.kf.normalized
        guard let pixels = upright.pixels else { return nil }
        let source = ProcessedFrameSource(
            frames, of: first.byteCount, by: step, first: pixels)
        return KFCrossPlatformImage(
            showing: source, first: upright, madeOf: image.kf.originalFrames ?? frames,
            options: options.imageCreatingOptions)
    }
}

extension Data {
    fileprivate func isAnimation(_ options: KingfisherParsedOptionsInfo) -> Bool {
        (imageHeader(acceptsPartialImages: options.acceptsPartialImages)?.frameCount ?? 1) > 1
    }
}

extension KFCrossPlatformImage {
    fileprivate var withAllFrames: KFCrossPlatformImage {
        guard kf.creatingOptions?.onlyFirstFrame == true, let data = kf.animatedData,
            let whole = try? KFCrossPlatformImage.decode(data, options: ImageCreatingOptions(scale: scale))
        else { return self }
        return whole
    }

    fileprivate convenience init(
        showing source: ProcessedFrameSource, first: KFCrossPlatformImage,
        madeOf originals: any ImageFrameSource, options: ImageCreatingOptions
    ) {
        var state = KingfisherState()
        state.frameSource = source
        state.frameCount = source.frameCount
        state.loopCount = source.loopCount
        state.originalFrames = originals
        state.creatingOptions = options.ofAnimation
        self.init(
            .source(source, first: source.first), scale: first.scale, traits: first.traits, state: state)
    }
}

extension KingfisherParsedOptionsInfo {
    /// These options without the parts of one request, for an animation that retains them. A retained cache,
    /// for example, would be a reference cycle.
    fileprivate var forRetention: KingfisherParsedOptionsInfo {
        var options = self
        (options.targetCache, options.originalCache, options.downloader) = (nil, nil, nil)
        (options.requestModifier, options.redirectHandler, options.imageModifier) = (nil, nil, nil)
        (options.alternativeSources, options.lowDataModeSource, options.onFailureImage) = (nil, nil, nil)
        (options.callbackQueue, options.processingQueue, options.transition) = (.untouch, nil, .none)
        options.lowResolution = nil
        return options
    }
}
