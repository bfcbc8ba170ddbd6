import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Decoding and processing.
extension SourceStages {
    nonisolated(nonsending) func image(of fetched: FetchedBytes) async throws(KingfisherError) -> NewImage {
        let (outcome, arrival) = (try await process(fetched.input, as: .source), fetched.arrival)
        // The downloader may have been told to cancel it.
        if fetched.download?.isCancelled == true { throw .cancelled(source, task: task) }
        guard case .made(let image, let original) = outcome else {
            let error = processingFailure(of: fetched.input.item)
            if let arrival { note(error, of: arrival.response) }
            throw error
        }
        if arrival != nil { forgetKnownFailure() }
        return NewImage(
            image: image, original: original, metrics: fetched.metrics,
            freshness: options.httpCaching ? arrival?.freshness(by: request.targetCache.clock) : nil,
            isPrivate: arrival?.isPrivate ?? false,
            ticket: request.admission == nil ? nil : fetched.input.memory?.ticket)
    }

    /// Makes the image of an input, once for all requests that share the input.
    ///
    /// Bytes from a cache are not decoded for a superseded request. Those of a source are, because its image
    /// is stored.
    nonisolated(nonsending) func process(
        _ input: ProcessingInput, as kind: ProcessingInput.Kind
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        let isFetched = kind == .source
        if !isFetched { try checkIsWanted() }
        let recipe = input.recipe(kind, options)
        var outcome = input.images.outcome(for: recipe)
        if outcome == nil {
            let shared = try await request.wait {
                [self] (resume: Resume<SharedOutcome<ProcessingInput.Outcome>>) in
                onQueue(of: input, kind) { [self] in
                    let isWanted: @Sendable () -> Bool = { [request] in
                        isFetched ? !request.isOver : request.isWanted
                    }
                    guard isWanted() else { return }
                    share(input.images, recipe, isWanted: isWanted, resume: resume) { leader in
                        making(input, recipe).lead(leader)
                    }
                }
            }
            if case .outcome(let made) = shared { outcome = made }
        }
        if !isFetched { try checkIsWanted() }
        switch outcome {
        case .failed(let error)?: throw error
        case .abandoned?, nil: throw .cancelled(source, task: task)
        case let outcome?: return outcome
        }
    }

    nonisolated(nonsending) func image(of hit: MemoryHit) async throws(KingfisherError)
        -> KFCrossPlatformImage
    {
        guard case .outdated(let image, _) = hit else { return hit.image ?? hit.stored }
        visitCaches()
        let recreated = request.targetCache.recreatedImages
        let key = RecreatedImages.Key(computedKey, image, options.imageCreatingOptions)
        let shared = try await waitIfWanted { [self] (resume: Resume<SharedOutcome<InputOutcome>>) in
            share(request.targetCache.shared.inputs, .recreated(key), resume: resume) { leader in
                leader.complete(.input(ProcessingInput(.image(image))))
            }
        }
        // Another request may have just recreated it.
        if let known = recreated.image(key, of: image) { return known }
        guard case .outcome(.input(let input)) = shared,
            case .made(let made, _) = try await process(input, as: .recreation)
        else { return image }
        recreated.add(made, key, of: image)
        return made
    }

    private func making(_ input: ProcessingInput, _ recipe: ProcessingInput.Recipe) -> ImageMaking {
        ImageMaking(
            input: input, recipe: recipe, options: options, source: { [source] in source.eventName },
            admission: request.admission,
            queue: (recipe.kind == .original ? nil : input.queue)
                ?? { [request] in request.processingQueue.execute($0) })
    }

    /// Runs `work` where the image of an input is made.
    ///
    /// A file is decoded on the key queue that has read it, because changing
    /// the thread takes as long as decoding a small image; an original only if the options name no processing
    /// queue.
    private func onQueue(
        of input: ProcessingInput, _ kind: ProcessingInput.Kind, _ work: @escaping @Sendable () -> Void
    ) {
        let isHere =
            switch kind {
            case .source: input.queue != nil // a download is delivered there
            case .processed: options.readsDiskOnCallersThread || request.targetCache.diskQueue.isCurrent
            case .original: options.processingQueue == nil && request.originalCache.diskQueue.isCurrent
            case .recreation: false
            }
        if isHere { work() } else { request.processingQueue.execute(work) }
    }
}
