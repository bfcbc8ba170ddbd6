import Foundation
import Glibc
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Decoding and processing.
extension LiveStages {
    nonisolated(nonsending) func image(
        of fetched: ProcessingInput, _ arrival: ResponseArrival?, by download: Download?
    ) async throws(KingfisherError) -> NewImage {
        let outcome = try await process(fetched, as: .source)
        // The downloader may have been told to cancel it.
        if let download, download.isCancelled { throw .cancelled(source, task: task) }
        return try newImage(outcome, of: fetched, arrival)
    }

    private func newImage(
        _ outcome: ProcessingInput.Outcome, of fetched: ProcessingInput, _ arrival: ResponseArrival?
    ) throws(KingfisherError) -> NewImage {
        guard case .made(let image, let original) = outcome else {
            let error = processingFailure(of: fetched.item)
            if let arrival { note(error, of: arrival.response) }
            throw error
        }
        if arrival != nil { forgetKnownFailure() }
        return NewImage(
            image: image, original: original, metrics: arrival?.metrics,
            freshness: fetched.freshness
                ?? (options.httpCaching
                    ? arrival?.freshness(by: request.targetCache.clock, request.cacheKeyRule) : nil),
            isPrivate: arrival?.isPrivate ?? false,
            ticket: request.admission == nil ? nil : fetched.memory?.ticket)
    }

    /// Makes the image of an input, once for all requests that share the input.
    ///
    /// A superseded request decodes bytes of a source, because the image is stored, but no bytes from caches.
    nonisolated(nonsending) func process(
        _ input: ProcessingInput, as kind: ProcessingInput.Kind
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        let isFetched = kind == .source
        if !isFetched { try checkIsWanted() }
        let recipe = input.recipe(kind, options)
        let outcome =
            if let known = input.outcome(for: recipe) { known } else { try await made(of: input, recipe) }
        if !isFetched { try checkIsWanted() }
        if case .failed(let error) = outcome { throw error }
        return outcome
    }

    nonisolated(nonsending) private func made(
        of input: ProcessingInput, _ recipe: ProcessingInput.Recipe
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        let kind = recipe.kind
        do throws(KingfisherError) {
            return try await request.wait { [self] (resume: Resume<ProcessingInput.Outcome>) in
                do throws(KingfisherError) {
                    // Bytes in memory count while they wait for the queue.
                    try hold(input, kind)
                    onQueue(of: input, kind) { [self] in make(input, recipe, resume) }
                } catch {
                    resume(.failed(error))
                }
            }
        } catch {
            // The downloader may have been told to cancel it.
            throw kind == .source ? .cancelled(source, task: task) : error
        }
    }

    private func make(
        _ input: ProcessingInput, _ recipe: ProcessingInput.Recipe, _ resume: Resume<ProcessingInput.Outcome>
    ) {
        let kind = recipe.kind
        let isWanted: @Sendable () -> Bool = { [request] in request.isWanted(for: kind) }
        guard isWanted() else { return }
        let admission = isImmediate(input, kind) ? nil : request.admission
        let making = ImageMaking(
            of: input, recipe, options, for: { [source] in source.eventName },
            admission: admission,
            at: (kind == .original ? nil : input.place) ?? .queue(request.processingQueue),
            isWanted: isWanted
        ) {
            resume($0)
        }
        if admission != nil || input.memory != nil {
            request.addCleanup { [weak making] in
                making?.stopWaiting()
                return nil
            }
        }
        input.enqueue(making)
    }

    nonisolated(nonsending) func image(of hit: MemoryHit) async throws(KingfisherError)
        -> KFCrossPlatformImage
    {
        guard case .outdated(let image) = hit else { return hit.image ?? hit.stored }
        registerKeys()
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

    /// Whether the image is made on this thread and cannot wait for memory: the caller's thread has just read
    /// its file, or a cache subclass has decoded it.
    private func isImmediate(_ input: ProcessingInput, _ kind: ProcessingInput.Kind) -> Bool {
        kind == .processed && (input.item.data == nil || input.thread == pthread_self())
    }

    private func hold(_ input: ProcessingInput, _ kind: ProcessingInput.Kind) throws(KingfisherError) {
        guard let admission = request.admission, !isImmediate(input, kind),
            input.item.data?.residentCount ?? 0 > 0
        else { return }
        _ = try input.memory(
            in: admission, priority: options.downloadPriority, for: { [source] in source.eventName })
    }

    /// Runs `work` where the image of an input is made.
    ///
    /// A file is decoded on the key queue that has read it, because changing the thread takes as long as
    /// decoding a small image. If the options name a processing queue, it gets the originals.
    private func onQueue(
        of input: ProcessingInput, _ kind: ProcessingInput.Kind, _ work: @escaping @Sendable () -> Void
    ) {
        let isHere =
            switch kind {
            case .source: input.place != nil  // a download is delivered there
            case .processed: isImmediate(input, kind) || request.targetCache.diskQueue.isCurrent
            case .original: options.processingQueue == nil && request.originalCache.diskQueue.isCurrent
            case .recreation: false
            }
        if isHere { work() } else { request.processingQueue.execute(work) }
    }
}
