import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Decoding and processing, on the processing queue.
extension SourceStages {
    nonisolated(nonsending) func process(_ bytes: ProcessingInput) async throws(KingfisherError) -> ProcessingInput.Outcome {
        try await make(ProcessingInput.Recipe(variant: options.imageVariant), of: bytes, isHeld: true) { [self] in
            make(of: bytes.item, original: bytes.item.data)
        }
    }

    nonisolated(nonsending) func process(original: ProcessingInput) async throws(KingfisherError) -> ProcessingInput.Outcome
    {
        try checkIsWanted()
        // What is read from disk is shared only with those who read it by an equal serializer.
        let recipe = ProcessingInput.Recipe(
            variant: options.imageVariant,
            serializer: original.item.data == nil ? nil : ValueIdentity(options.cacheSerializer))
        let making = try await make(recipe, of: original) { [self] in
            switch original.item {
            case .image(let image): make(of: asked(image), original: image.kf.fileBytes)
            case .data(let data): options.decodingContext.run { make(ofOriginal: data) }
            }
        }
        try checkIsWanted()
        return making
    }

    nonisolated(nonsending) func image(of hit: MemoryHit) async throws(KingfisherError)
        -> KFCrossPlatformImage
    {
        guard case .outdated(let image, let material) = hit else { return hit.image ?? hit.stored }
        visitCaches()
        let key = RecreatedImages.Key(computedKey, image, options.imageCreatingOptions)
        let made = try await processing(material.item) { [self] resume in
            guard request.isWanted else { return resume(.success(.unreadable)) }
            request.targetCache.recreatedImages.make(
                key, of: image, with: { [options] in material.image(with: options) },
                completion: { resume(.success($0.map { .made($0, original: nil) } ?? .unreadable)) })
        }
        try checkIsWanted()
        return if case .made(let made, _) = made { made } else { image }
    }

    /// Has an image made once for all who want the same.
    nonisolated(nonsending) private func make(
        _ recipe: ProcessingInput.Recipe, of material: ProcessingInput, isHeld: Bool = false,
        by work: @escaping @Sendable () -> ProcessingInput.Outcome
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        try await processing(material.item, isHeld: isHeld) { [request] resume in
            guard !request.isOver else { return }
            material.images.run(recipe) { leader in
                leader.complete(work(), keeping: .always)
            } completion: {
                resume(.success($0))
            }
        }
    }

    /// The image that the processor makes of `item`; `original` is the file that belongs to it, if known.
    private func make(of item: ImageProcessItem, original: Data?) -> ProcessingInput.Outcome {
        options.process(item, of: source.eventName).map { .made($0, original: original) } ?? .refused(item)
    }

    /// Makes the image of an original on disk: its serializer decodes it, and the processor gets the image.
    ///
    /// If both are of this package, the processor decodes the file, to the size that it needs. A file of a
    /// format that this package's serializers do not know goes to the user's processor, which may. No other
    /// serializer is passed over: it may be the one that decrypts or verifies the file.
    private func make(ofOriginal data: Data) -> ProcessingInput.Outcome {
        let serializer = options.cacheSerializer
        let readsFiles = serializer is any ImageFileCacheSerializer
        let decodesFile = readsFiles && options.processor.decodesFile(data)
        let made = decodesFile ? make(of: .data(data), original: data) : .unreadable
        if case .made = made { return made }
        if let image = serializer.image(with: data, options: unprocessed) {
            return make(of: .image(image), original: readsFiles ? data : image.kf.fileBytes)
        }
        guard readsFiles, !decodesFile, case .made(let image, _) = make(of: .data(data), original: data)
        else { return .unreadable }
        return .made(image, original: data)
    }

    /// An original in memory as its file would give it with these options: it may have been loaded with
    /// others.
    private func asked(_ original: KFCrossPlatformImage) -> ImageProcessItem {
        let unprocessed = unprocessed
        // Frames that were processed are the original here, not what they were made of.
        let material = AnimationMaterial(original, options: unprocessed)
        guard case .bytes? = material, let made = material?.image(with: unprocessed) else {
            return .image(original.kf.scaled(to: options.scaleFactor))
        }
        return .image(made)
    }

    /// These options for the image before the processor.
    var unprocessed: KingfisherParsedOptionsInfo {
        var unprocessed = options
        unprocessed.processor = DefaultImageProcessor.default
        // That processor keeps the frames it makes, not those it makes them of.
        if options.processor is FramewiseImageProcessor { unprocessed.preloadAllAnimationData = false }
        return unprocessed
    }
}

/// The memory budget.
extension SourceStages {
    typealias Made = Result<ProcessingInput.Outcome, KingfisherError>

    /// Waits for `work` on the processing queue; with a memory budget it runs once there is memory for
    /// `item`, which is given back when it returns.
    ///
    /// Nothing runs if the request ends before that. Where the item `isHeld`, its bytes count, too, from now
    /// on.
    nonisolated(nonsending) func processing(
        _ item: ImageProcessItem?, isHeld: Bool = false, _ work: @escaping @Sendable (Resume<Made>) -> Void
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        try await request.wait { [self] (resume: Resume<Made>) in
            guard request.admission != nil else { return process { work(resume) } }
            do throws(KingfisherError) {
                let held = isHeld ? item?.data?.count ?? 0 : 0
                let ticket = held > 0 ? try request.enterAdmission() : nil
                ticket?.hold(held)
                // A request that waits for the queue waits for no memory yet, and what it needs is in the
                // file's header, which is not for this thread to read.
                process { [self] in admit(item, holding: held, with: ticket, resume, work) }
            } catch {
                resume(.failure(error))
            }
        }.get()
    }

    /// Runs `work` on the processing queue. Without one of the request's own, an original that was read from
    /// disk is processed in the key queue that has read it, as processed files are decoded there: going to
    /// another thread takes as long as decoding a small image.
    private func process(_ work: @escaping @Sendable () -> Void) {
        guard options.processingQueue == nil, request.originalCache.diskQueue.isCurrent else {
            return request.processingQueue.execute(work)
        }
        work()
    }

    private func admit(
        _ item: ImageProcessItem?, holding held: Int, with early: AdmissionTicket?, _ resume: Resume<Made>,
        _ work: @escaping @Sendable (Resume<Made>) -> Void
    ) {
        guard !request.isOver else { return }
        do throws(KingfisherError) {
            let ticket = if let early { early } else { try request.enterAdmission() }
            guard let ticket else { return work(resume) }
            request.addCleanup { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            let bytes = held + (item.map(options.processingMemory) ?? 0)
            let run = { @Sendable in withExtendedLifetime(ticket) { work(resume) } }
            let answer = ticket.reserve(total: bytes) { [request] in request.processingQueue.execute(run) }
            switch answer {
            case .reserved: run()
            case .waits: break
            case .exceedsBudget: resume(.failure(ticket.excess(bytes)))
            }
        } catch {
            resume(.failure(error))
        }
    }
}

extension ImageRequest {
    /// Enters the manager's admission control; nil without a memory budget, and throws `overloaded` where as
    /// many requests wait as may.
    func enterAdmission() throws(KingfisherError) -> AdmissionTicket? {
        try admission?.enter(for: source.eventName, priority: options.downloadPriority)
    }
}
