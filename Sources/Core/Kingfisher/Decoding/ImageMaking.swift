import Foundation
import KingfisherImage
import Synchronization

/// Makes the image of an input: the one stage of a request that decodes files and runs processors.
///
/// With a memory budget, the stage first reserves memory for the pixels, estimated from the file's header.
final class ImageMaking: Sendable {
    let input: ProcessingInput
    let recipe: ProcessingInput.Recipe
    let options: KingfisherParsedOptionsInfo
    /// The name of the source in events.
    private let source: @Sendable () -> String
    private let admission: AdmissionControl?
    /// Where the work continues after it has waited.
    let place: WorkPlace
    private let isWanted: @Sendable () -> Bool
    /// Gets the outcome, on the thread that has made the image. Released without a call if the image was not
    /// wanted when its turn came, or if it was cancelled while it waited for memory.
    let receive: @Sendable (ProcessingInput.Outcome) -> Void
    private let turn = Atomic(Turn.none)

    /// Whether the input lets this image be made now. A turn ends with this object at the latest.
    private enum Turn: UInt8, AtomicRepresentable {
        case none, active
        /// For memory.
        case waiting
    }

    init(
        of input: ProcessingInput, _ recipe: ProcessingInput.Recipe, _ options: KingfisherParsedOptionsInfo,
        for source: @escaping @Sendable () -> String, admission: AdmissionControl? = nil,
        at place: WorkPlace, isWanted: @escaping @Sendable () -> Bool = { true },
        receive: @escaping @Sendable (ProcessingInput.Outcome) -> Void
    ) {
        self.input = input
        self.recipe = recipe
        self.options = options
        self.source = source
        self.admission = admission
        self.place = place
        self.isWanted = isWanted
        self.receive = receive
    }

    var hasBudget: Bool { admission != nil }

    deinit { endTurn() }

    /// Makes the image on this thread. Called by the input when it is the turn of this image.
    func begin() {
        turn.store(.active, ordering: .relaxed)
        guard isWanted() else { return endTurn() }
        do throws(KingfisherError) {
            let memory = try input.memory(in: admission, priority: options.downloadPriority, for: source)
            guard let memory else { return finish(DecodingWork.run { make() }) }
            reserve(memory)
        } catch {
            fail(error)
        }
    }

    private func reserve(_ memory: InputMemory) {
        // What is decoded must be what memory is reserved for.
        let decoding = DecodingWork()
        let pixels = decoding.run { pixelBytes }
        turn.store(.waiting, ordering: .sequentiallyConsistent)
        let run = { @Sendable [self] in
            guard endWait() else { return decoding.end() }
            let outcome = isWanted() ? decoding.run { make() } : nil
            decoding.end()
            memory.keep(outcome?.image?.cacheCost ?? 0)
            if let outcome { finish(outcome) } else { endTurn() }
        }
        switch memory.reserve(pixels, resume: { [place] in place.run(run) }) {
        case .reserved: run()
        // The request may have ended before it waited.
        case .waits: stopWaiting()
        case .refused(let error): if endWait() { fail(error) }
        }
    }

    /// Ends the wait for memory if the image is not wanted any more.
    func stopWaiting() {
        guard !isWanted(), endWait() else { return }
        // Until the turn ends, no other image of the input waits for memory.
        let memory = input.memory
        memory?.ticket.stopWaiting()
        // It may just have been granted.
        memory?.keep(0)
        endTurn()
    }

    private func endWait() -> Bool {
        turn.compareExchange(expected: .waiting, desired: .active, ordering: .sequentiallyConsistent)
            .exchanged
    }

    private func endTurn(with outcome: ProcessingInput.Outcome? = nil) {
        guard turn.exchange(.none, ordering: .sequentiallyConsistent) != .none else { return }
        input.endTurn(of: recipe, with: outcome)
    }

    private func finish(_ outcome: ProcessingInput.Outcome) {
        // Before others get the image, which may be the end of the download.
        input.observer?.didMake(outcome.image, of: input)
        endTurn(with: outcome)
        receive(outcome)
    }

    private func fail(_ error: KingfisherError) {
        endTurn()
        receive(.failed(error))
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

    private func make() -> ProcessingInput.Outcome { options.decodingContext.run { self.outcome } }

    private var outcome: ProcessingInput.Outcome {
        switch (recipe.kind, input.item) {
        case (.source, let item): process(item, original: item.data)
        case (.original, .image(let image)):
            process(processorItem(of: image), original: image.kf.fileBytes)
        case (.original, .data(let data)): decodeAndProcess(data)
        case (.processed, .image(let image)): processStored(image)
        case (.processed, .data(let data)):
            options.cacheSerializer.image(with: data, options: options).map(processStored) ?? .unreadable
        case (.recreation, .image(let image)):
            AnimationSource(image, options: options)?.image(with: options).map {
                .made($0, original: nil)
            } ?? .unreadable
        case (.recreation, .data): .unreadable
        }
    }

    private func process(_ item: ImageProcessItem, original: Data?) -> ProcessingInput.Outcome {
        let start = KingfisherEvents.isObserved ? ContinuousClock.now : nil
        let image = options.processor.process(item: item, options: options)
        if let start {
            KingfisherEvents.report(
                .processed(
                    source: source().withoutUserInfo, processor: options.processor.identifier,
                    isSuccess: image != nil, duration: start.secondsAgo))
        }
        return image.map { .made($0, original: original) } ?? .refused(item)
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

extension ProcessingInput.Outcome {
    fileprivate var image: KFCrossPlatformImage? { if case .made(let image, _) = self { image } else { nil } }
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
