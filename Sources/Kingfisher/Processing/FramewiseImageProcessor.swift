import Foundation
import KingfisherImage

/// Applies a processor to every frame of an animation, when the frame is asked for; see
/// `ImageProcessor.framewise`.
///
/// A registered format's file is decoded first, and each frame then goes through the whole chain. Any other
/// file is left to the first of its stages, and what that makes of it is an animation for the others if it
/// has frames.
struct FramewiseImageProcessor: CompositeImageProcessor {
    /// The processor that makes a still of the first frame.
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
        // What is between two processors is shown to nobody, so its frames need not all be there.
        var lazily = options
        lazily.preloadAllAnimationData = false
        var rest = stages[...]
        var image: KFCrossPlatformImage?
        switch item {
        case .image(let input): image = input.withItsFrames
        case .data(let data) where data.isAnimation(options): image = item.decoded(with: lazily)
        case .data(let data):
            rest = stages(decoding: data)[...]
            image = rest.popFirst()?.process(item: item, options: lazily)
        }
        for stage in rest { image = image.flatMap { Self.apply(stage, to: $0, options: lazily) } }
        return image?.holdingFrames(as: options.imageCreatingOptions)
    }

    /// The still processed; or an animation whose frames will be, the first at once.
    private static func apply(
        _ processor: any ImageProcessor, to image: KFCrossPlatformImage, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        // A copy has no canvas of the first frame, which nobody needs any more.
        guard let frames = image.framesToKeep else {
            return processor.process(item: .image(image), options: options)
        }
        let step = FrameStep(processor, options: options.forKeeping, frameOf: image)
        guard let first = image.images == nil ? image.pixels : image.animationFrames?.frame(at: 0),
            let made = step.process(first)
        else { return nil }
        // Handed back as it is: the file still says it all.
        if step.handsBack(first, as: made) { return image.kf.scaled(to: made.scale) }
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
    /// Whether a registered codec finds more than one frame in the file.
    fileprivate func isAnimation(_ options: KingfisherParsedOptionsInfo) -> Bool {
        (imageHeader(acceptsPartialImages: options.acceptsPartialImages)?.frameCount ?? 1) > 1
    }
}

extension KFCrossPlatformImage {
    /// The animation whose first frame alone somebody asked for, or else the image itself.
    fileprivate var withItsFrames: KFCrossPlatformImage {
        guard kf.creatingOptions?.onlyFirstFrame == true, let data = kf.animatedData,
            let whole = try? KFCrossPlatformImage.decode(data, options: ImageCreatingOptions(scale: scale))
        else { return self }
        return whole
    }

    /// An animation whose frames were made of others.
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
    /// These options without what belongs to one request, for an animation that keeps them as long as it
    /// lives: the cache that holds it, for one, must not be held by it in turn.
    fileprivate var forKeeping: KingfisherParsedOptionsInfo {
        var options = self
        (options.targetCache, options.originalCache, options.downloader) = (nil, nil, nil)
        (options.requestModifier, options.redirectHandler, options.imageModifier) = (nil, nil, nil)
        (options.alternativeSources, options.lowDataModeSource, options.onFailureImage) = (nil, nil, nil)
        (options.callbackQueue, options.processingQueue, options.transition) = (.untouch, nil, .none)
        return options
    }
}
