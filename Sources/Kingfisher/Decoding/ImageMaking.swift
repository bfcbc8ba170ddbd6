import Foundation
import KingfisherConcurrency
import KingfisherImage

/// Makes the image of an input: the one stage of a request that decodes files and runs processors.
///
/// The leader of equal work makes the image, for all requests that share the input. If there is a memory
/// budget, it first reserves memory for the pixels, which it estimates from the header of the file.
struct ImageMaking: Sendable {
    typealias Leader = SingleFlight<ProcessingInput.Recipe, ProcessingInput.Outcome>.Leader

    let input: ProcessingInput
    let recipe: ProcessingInput.Recipe
    let options: KingfisherParsedOptionsInfo
    /// The name of the source in events.
    let source: @Sendable () -> String
    var admission: AdmissionControl?
    /// Where the work continues after it has waited for memory.
    let queue: WorkQueue

    /// Calls `completion` with the image, on this thread or on `queue`.
    func run(completion: @escaping @Sendable (ProcessingInput.Outcome) -> Void) {
        input.images.run(recipe, work: lead, completion: completion)
    }

    /// Makes the image on this thread, or on `queue` after a wait.
    func lead(_ leader: Leader) {
        do throws(KingfisherError) {
            let memory = try input.memory(
                in: admission, priority: options.downloadPriority, for: source)
            guard let memory else { return DecodingWork.run { make(leader) } }
            memory.enqueue(on: queue) { turn in reserve(turn, leader) }
        } catch {
            leader.complete(.failed(error), keeping: .none)
        }
    }

    private func reserve(_ turn: InputMemory.Turn, _ leader: Leader) {
        guard leader.isWanted else { return }
        leader.whenAbandoned { [weak turn] in
            turn?.stopWaiting()
            return nil
        }
        // What is decoded must be what memory is reserved for.
        let decoding = DecodingWork()
        let pixels = decoding.run { pixelBytes }
        let run = { @Sendable in
            defer { decoding.end() }
            let image = decoding.run { make(leader) }
            turn.keep(image?.cacheCost ?? 0)
        }
        switch turn.reserve(pixels, resume: { queue(run) }) {
        case .reserved: run()
        case .waits: break
        case .refused(let error): leader.complete(.failed(error), keeping: .none)
        }
    }

    private var pixelBytes: Int {
        switch (recipe.kind, input.item) {
        case (.source, _), (.original, _): options.processingMemory(for: input.item)
        case (.recreation, .image(let image)):
            AnimationSource(image, options: options)?.item.map(options.processingMemory) ?? 0
        case (.processed, .data(let data)):
            options.decodingContext.run {
                ImageCodecs.decodingMemory(
                    of: data, scale: options.scaleFactor, acceptsPartialImages: options.acceptsPartialImages)
            }
        case (.processed, .image), (.recreation, .data): 0
        }
    }

    @discardableResult
    private func make(_ leader: Leader) -> KFCrossPlatformImage? {
        guard leader.commit() else { return nil }
        let outcome = options.decodingContext.run { self.outcome }
        let image: KFCrossPlatformImage? = if case .made(let image, _) = outcome { image } else { nil }
        input.observer?(image)
        leader.complete(outcome, keeping: .always)
        return image
    }

    private var outcome: ProcessingInput.Outcome {
        switch (recipe.kind, input.item) {
        case (.source, let item): process(item, original: item.data)
        case (.original, .image(let image)):
            process(processorItem(of: image), original: image.kf.fileBytes)
        case (.original, .data(let data)): isPartial(data) ? .unreadable : decodeAndProcess(data)
        case (.processed, .image(let image)): processStored(image)
        case (.processed, .data(let data)):
            isPartial(data)
                ? .unreadable
                : options.cacheSerializer.image(with: data, options: options).map(processStored)
                    ?? .unreadable
        case (.recreation, .image(let image)):
            AnimationSource(image, options: options)?.image(with: options).map {
                .made($0, original: nil)
            } ?? .unreadable
        case (.recreation, .data): .unreadable
        }
    }

    /// A source may have the rest of a truncated file.
    private func isPartial(_ data: Data) -> Bool { options.isPartial(data) }

    private func process(_ item: ImageProcessItem, original: Data?) -> ProcessingInput.Outcome {
        options.process(item, of: source()).map { .made($0, original: original) } ?? .refused(item)
    }

    /// A serializer that stores originals has returned an unprocessed image.
    private func processStored(_ image: KFCrossPlatformImage) -> ProcessingInput.Outcome {
        guard options.cacheSerializer.originalDataUsed, !options.processor.identifier.isEmpty else {
            return .made(image, original: nil)
        }
        return options.processor.process(item: .image(image), options: options).map {
            .made($0, original: nil)
        } ?? .unreadable
    }

    /// Makes the image of an original on disk: its serializer decodes it, and the processor gets the image.
    ///
    /// If the serializer stores files as they are and the processor decodes files, the processor decodes this
    /// one, directly to the size that it needs. If such a serializer cannot decode the file, the processor
    /// gets the file, because a user's processor may know the format. Other serializers always decode,
    /// because they may decrypt or verify the file.
    private func decodeAndProcess(_ data: Data) -> ProcessingInput.Outcome {
        let serializer = options.cacheSerializer
        let readsFiles = serializer is any ImageFileCacheSerializer
        let decodesFile = readsFiles && options.processor.decodesFile(data)
        let outcome = decodesFile ? process(.data(data), original: data) : .unreadable
        if case .made = outcome { return outcome }
        if let image = serializer.image(with: data, options: options.unprocessed) {
            return process(.image(image), original: readsFiles ? data : image.kf.fileBytes)
        }
        guard readsFiles, !decodesFile,
            case .made(let image, _) = process(.data(data), original: data)
        else { return .unreadable }
        return .made(image, original: data)
    }

    /// The original as these options would decode it, because it may have been decoded with others.
    private func processorItem(of original: KFCrossPlatformImage) -> ImageProcessItem {
        let unprocessed = options.unprocessed
        // If the frames were processed already, the processed ones are the original here.
        let source = AnimationSource(original, options: unprocessed)
        guard case .bytes? = source, let recreated = source?.image(with: unprocessed) else {
            return .image(original.kf.scaled(to: options.scaleFactor))
        }
        return .image(recreated)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options that decode an original.
    var unprocessed: KingfisherParsedOptionsInfo {
        var unprocessed = self
        unprocessed.processor = DefaultImageProcessor.default
        // A framewise processor preloads the processed frames, not the originals.
        if processor is FramewiseImageProcessor { unprocessed.preloadAllAnimationData = false }
        return unprocessed
    }
}
