import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Decoding and processing, on the processing queue.
extension SourceStages {
    nonisolated(nonsending) func process(_ input: ProcessingInput) async throws(KingfisherError)
        -> ProcessingInput.Outcome
    {
        let recipe = ProcessingInput.Recipe(variant: options.imageVariant)
        return try await processOnce(recipe, of: input, isHeld: true) { [self] in
            runProcessor(on: input.item, original: input.item.data)
        }
    }

    nonisolated(nonsending) func process(original: ProcessingInput) async throws(KingfisherError)
        -> ProcessingInput.Outcome
    {
        try checkIsWanted()
        // Images of a file are shared only between requests with equal serializers.
        let recipe = ProcessingInput.Recipe(
            variant: options.imageVariant,
            serializer: original.item.data == nil ? nil : ValueIdentity(options.cacheSerializer))
        let outcome = try await processOnce(recipe, of: original) { [self] in
            switch original.item {
            case .image(let image):
                runProcessor(on: processorItem(of: image), original: image.kf.fileBytes)
            case .data(let data): options.decodingContext.run { decodeAndProcess(data) }
            }
        }
        try checkIsWanted()
        return outcome
    }

    nonisolated(nonsending) func image(of hit: MemoryHit) async throws(KingfisherError)
        -> KFCrossPlatformImage
    {
        guard case .outdated(let image, let source) = hit else { return hit.image ?? hit.stored }
        visitCaches()
        let key = RecreatedImages.Key(computedKey, image, options.imageCreatingOptions)
        let outcome = try await processing(source.item) { [self] resume in
            guard request.isWanted else { return resume(.success(.unreadable)) }
            request.targetCache.recreatedImages.make(
                key, of: image, with: { [options] in source.image(with: options) },
                completion: { resume(.success($0.map { .made($0, original: nil) } ?? .unreadable)) })
        }
        try checkIsWanted()
        return if case .made(let recreated, _) = outcome { recreated } else { image }
    }

    nonisolated(nonsending) private func processOnce(
        _ recipe: ProcessingInput.Recipe, of input: ProcessingInput, isHeld: Bool = false,
        by work: @escaping @Sendable () -> ProcessingInput.Outcome
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        try await processing(input.item, isHeld: isHeld) { [request] resume in
            guard !request.isOver else { return }
            input.images.run(recipe) { leader in
                leader.complete(work(), keeping: .always)
            } completion: {
                resume(.success($0))
            }
        }
    }

    private func runProcessor(on item: ImageProcessItem, original: Data?) -> ProcessingInput.Outcome {
        options.process(item, of: source.eventName).map { .made($0, original: original) } ?? .refused(item)
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
        let outcome = decodesFile ? runProcessor(on: .data(data), original: data) : .unreadable
        if case .made = outcome { return outcome }
        if let image = serializer.image(with: data, options: unprocessed) {
            return runProcessor(on: .image(image), original: readsFiles ? data : image.kf.fileBytes)
        }
        guard readsFiles, !decodesFile,
            case .made(let image, _) = runProcessor(on: .data(data), original: data)
        else { return .unreadable }
        return .made(image, original: data)
    }

    /// The original as these options would decode it, because it may have been decoded with others.
    private func processorItem(of original: KFCrossPlatformImage) -> ImageProcessItem {
        let unprocessed = unprocessed
        // If the frames were processed already, the processed ones are the original here.
        let source = AnimationSource(original, options: unprocessed)
        guard case .bytes? = source, let recreated = source?.image(with: unprocessed) else {
            return .image(original.kf.scaled(to: options.scaleFactor))
        }
        return .image(recreated)
    }

    var unprocessed: KingfisherParsedOptionsInfo {
        var unprocessed = options
        unprocessed.processor = DefaultImageProcessor.default
        // A framewise processor preloads the processed frames, not the originals.
        if options.processor is FramewiseImageProcessor { unprocessed.preloadAllAnimationData = false }
        return unprocessed
    }
}

/// The memory budget.
extension SourceStages {
    typealias ProcessingResult = Result<ProcessingInput.Outcome, KingfisherError>

    /// Runs `work` on the processing queue and waits for its result. With a memory budget, `work` starts when
    /// the memory for `item` is reserved, and the reservation ends when it returns.
    ///
    /// `work` does not run if the request ends first.
    ///
    /// - Parameter isHeld: Whether the bytes of `item` are in memory already and count from now on.
    nonisolated(nonsending) func processing(
        _ item: ImageProcessItem?, isHeld: Bool = false,
        _ work: @escaping @Sendable (Resume<ProcessingResult>) -> Void
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        try await request.wait { [self] (resume: Resume<ProcessingResult>) in
            guard request.admission != nil else {
                return process { DecodingWork.run { work(resume) } }
            }
            do throws(KingfisherError) {
                let held = isHeld ? item?.data?.residentCount ?? 0 : 0
                let ticket = held > 0 ? try request.enterAdmission() : nil
                ticket?.hold(held)
                // The header, which tells how much memory decoding takes, is read on the processing queue.
                process { [self] in admit(item, holding: held, with: ticket, resume, work) }
            } catch {
                resume(.failure(error))
            }
        }.get()
    }

    /// Runs `work` on the processing queue. If the options name none, an original that was read from disk is
    /// processed on the key queue that has read it, because changing the thread takes as long as decoding a
    /// small image.
    private func process(_ work: @escaping @Sendable () -> Void) {
        guard options.processingQueue == nil, request.originalCache.diskQueue.isCurrent else {
            return request.processingQueue.execute(work)
        }
        work()
    }

    private func admit(
        _ item: ImageProcessItem?, holding held: Int, with early: AdmissionTicket?,
        _ resume: Resume<ProcessingResult>,
        _ work: @escaping @Sendable (Resume<ProcessingResult>) -> Void
    ) {
        guard !request.isOver else { return }
        do throws(KingfisherError) {
            let ticket = if let early { early } else { try request.enterAdmission() }
            guard let ticket else { return DecodingWork.run { work(resume) } }
            request.addCleanup { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            // What is decoded must be what memory is reserved for.
            let decoding = DecodingWork()
            let bytes = held + decoding.run { item.map(options.processingMemory) ?? 0 }
            let run = { @Sendable in
                defer { decoding.end() }
                withExtendedLifetime(ticket) { decoding.run { work(resume) } }
            }
            let answer = ticket.reserve(total: bytes) { [request] in request.processingQueue.execute(run) }
            switch answer {
            case .reserved: run()
            case .waits: break
            case .refused(let error): resume(.failure(error))
            }
        } catch {
            resume(.failure(error))
        }
    }
}

extension ImageRequest {
    func enterAdmission() throws(KingfisherError) -> AdmissionTicket? {
        try admission?.enter(for: { [source] in source.eventName }, priority: options.downloadPriority)
    }
}
