import KingfisherImage
import KingfisherTransport

/// The path of one image request: which stages run, and in which order.
///
/// 1. Memory.
/// 2. The processed image on disk, then in tiers.
/// 3. The original in memory, on disk, then in tiers.
/// 4. The source.
/// 5. Processing.
/// 6. Storing.
/// 7. Delivery.
///
/// Each cache hit is checked for freshness before it is used. After a failure, a `FailoverPlan` and the retry
/// strategy choose the next source, or end the request.
///
/// A pipeline only makes decisions; `PipelineStages` does the work. It resumes on the thread that completed
/// its last wait (see `ImageRequest`). Its functions run in the caller's isolation, because every executor
/// hop costs time, and are not inlined, because the runtime allocates async frames of more than 984 bytes one
/// by one.
struct RequestPipeline: Sendable {
    /// What the pipeline uses of its request.
    protocol Request: Sendable {
        var source: Source { get }
        var failoverPlan: FailoverPlan { get }
        /// False once the request has completed, was cancelled, or was superseded by a newer one.
        var isWanted: Bool { get }
        func begin(_ source: Source, _ plan: FailoverPlan) -> any PipelineStages
        /// Asks the retry strategy. Throws if the request ends before the strategy has decided.
        nonisolated(nonsending) func decision(after failure: PropagationError) async throws(KingfisherError)
            -> RetryDecision
        /// Completes the request with an image; returns false if it had completed already.
        @discardableResult
        func finish(with result: PipelineResult) -> Bool
        func fail(with error: KingfisherError)
    }

    let request: any Request

    /// - Parameter hit: The memory hit for the requested source, which the manager has looked up already.
    nonisolated(nonsending) func run(from hit: MemoryHit?) async {
        var plan = request.failoverPlan
        var source = request.source
        var isFirst = true
        while true {
            let stages = request.begin(source, plan)
            do {
                let hit = isFirst ? hit.map(stages.cacheHit) : stages.imageInMemory()
                let result = try await SourceAttempt(stages: stages).load(from: hit)
                if request.finish(with: result), let renewal = result.renewal { stages.renew(renewal) }
                return
            } catch {
                stages.end(with: error)
                let failure = PropagationError(source: source, error: error)
                guard let next = await next(after: failure, &plan) else { return }
                source = next
                isFirst = false
            }
        }
    }

    nonisolated(nonsending) func renew(_ renewal: Renewal) async {
        let stages = request.begin(request.source, request.failoverPlan)
        do {
            request.finish(with: try await SourceAttempt(stages: stages).renew(renewal))
        } catch {
            request.fail(with: error)
        }
    }

    @inline(never)
    nonisolated(nonsending) private func next(after failure: PropagationError, _ plan: inout FailoverPlan)
        async -> Source?
    {
        guard request.isWanted else { return end(failure.error) }
        var step = plan.step(after: failure)
        if case .consult = step {
            guard let decision = try? await request.decision(after: failure), request.isWanted else {
                return end(failure.error)
            }
            switch decision {
            case .retry:
                plan.restart()
                step = .load(request.source)
            case .stop:
                step = plan.step(afterFinal: failure)
            }
        }
        guard case .load(let source) = step else {
            if case .fail(let error) = step { return end(error) }
            return end(failure.error)
        }
        return source
    }

    private func end(_ error: KingfisherError) -> Source? {
        request.fail(with: error)
        return nil
    }
}

/// The path of one source of a request, from the caches to delivery.
struct SourceAttempt: Sendable {
    let stages: any PipelineStages

    /// - Parameter hit: The hit in memory. If it is not nil, the disk and the tiers are not read.
    nonisolated(nonsending) func load(from hit: CacheHit?) async throws(KingfisherError) -> PipelineResult {
        if let hit, let result = try await use(hit) { return result }
        if hit == nil, !stages.skipsCaches {
            if let result = try await processed() { return result }
            if let result = try await original() { return result }
        }
        return try await fetch()
    }

    nonisolated(nonsending) func renew(_ renewal: Renewal) async throws(KingfisherError) -> PipelineResult {
        switch renewal {
        case .revalidation(let hit): return try await fetch(insteadOf: stages.withSnapshot(hit))
        case .replacement(let leases):
            stages.keep(leases)
            return try await fetch()
        }
    }

    // MARK: 2. The processed image on disk, then in tiers

    @inline(never)
    nonisolated(nonsending) private func processed() async throws(KingfisherError) -> PipelineResult? {
        if let hit = try await stages.processedImage(), let result = try await use(hit) {
            return result
        }
        guard !stages.readsMemoryOnly else { return nil }
        switch try await stages.processedInTiers() {
        case .hit(let hit)?: return try await use(hit)
        case .stale(let hit, let leases)?:
            return try await deliver(hit, then: leases.isEmpty ? nil : .replacement(leases))
        case nil: return nil
        }
    }

    // MARK: 3. The original in memory, on disk, then in tiers

    @inline(never)
    nonisolated(nonsending) private func original() async throws(KingfisherError) -> PipelineResult? {
        guard stages.hasProcessor else { return nil }
        if let hit = try await stages.originalInCaches(), let result = try await use(hit) { return result }
        guard !stages.readsMemoryOnly else { return nil }
        if let hit = try await stages.originalInTiers() { return try await use(hit) }
        return nil
    }

    // MARK: Freshness

    /// Delivers, revalidates or replaces a cache hit, as its freshness demands; nil if it cannot be decoded.
    @inline(never)
    nonisolated(nonsending) private func use(_ hit: CacheHit) async throws(KingfisherError) -> PipelineResult?
    {
        let reuse = stages.reuse(of: hit)
        // Another request may have stored a newer image in the meantime.
        if reuse != .fresh, let newer = stages.usableImageInMemory() { return try await deliver(newer) }
        switch reuse {
        case .fresh: return try await deliver(hit)
        case .staleWhileRevalidate:
            return try await deliver(stages.withSnapshot(hit), then: .revalidation(hit))
        case .revalidate: return try await fetch(insteadOf: stages.withSnapshot(hit))
        case .unusable: return try await fetch(replacesOriginal: hit.isOriginalOfEarlierVersion)
        }
    }

    // MARK: 4. The source

    /// - Parameter stale: A stale cache hit. It makes the request conditional, and is the fallback after an
    ///   error. A stale original is replaced.
    /// - Parameter replacesOriginal: Whether the cached original is of no use to any request.
    @inline(never)
    nonisolated(nonsending) private func fetch(
        insteadOf stale: CacheHit? = nil, replacesOriginal: Bool = false
    )
        async throws(KingfisherError) -> PipelineResult
    {
        var stale = stale
        while true {
            let outcome: FetchOutcome
            do {
                outcome = try await stages.fetch(insteadOf: stale)
            } catch {
                return try await staleFallback(for: error, stale)
            }
            switch outcome {
            case .inCache(let hit):
                if let result = try await deliver(hit) { return result }
            case .bytes(let fetched, let arrival, let download):
                let new = try await stages.image(of: fetched, arrival, by: download)
                return await store(new, replacesOriginal: replacesOriginal || stale?.isOriginal == true)
            case .made(let new):
                return await store(new, replacesOriginal: replacesOriginal || stale?.isOriginal == true)
            case .notModified(let arrival):
                guard let hit = stale, let confirmed = stages.confirmed(hit, by: arrival) else {
                    // The 304 is about another representation: repeat without validators.
                    stale = stale?.withoutValidators
                    continue
                }
                try await stages.store(confirmed: confirmed, insteadOf: hit, arrival)
                if let result = try await deliver(confirmed) { return result }
                // The cached bytes cannot be decoded: load all of them.
                stale = nil
            }
        }
    }

    @inline(never)
    nonisolated(nonsending) private func staleFallback(
        for error: KingfisherError, _ stale: CacheHit?
    ) async throws(KingfisherError) -> PipelineResult {
        guard let stale else { throw error }
        guard stages.allowsStale(stale, after: error) else {
            stages.forget(stale, after: error)
            throw error
        }
        guard let result = try await deliver(stale) else { throw error }
        return result
    }

    // MARK: 5. Processing

    /// Nil if the file cannot be decoded.
    @inline(never)
    nonisolated(nonsending) private func decode(
        _ processed: ProcessingInput, of hit: CacheHit, in place: CacheHit.Place, then renewal: Renewal?
    ) async throws(KingfisherError) -> PipelineResult? {
        guard case .made(let image, _) = try await stages.process(processed, as: .processed) else {
            return nil
        }
        if hit.snapshot == nil, let newer = stages.imageStoredMeanwhile() {
            return try await deliver(newer, then: renewal)
        }
        // A no-store image was just removed from the caches and must not return to them.
        let isKept = stages.isStorable(hit) && stages.isUnchanged(hit)
        stages.keep(image, of: hit, in: isKept ? place : .nowhere)
        // The renewal confirms this image.
        if case .revalidation(let stale)? = renewal {
            return stages.result(image, from: .disk, then: .revalidation(stale.with(image)))
        }
        return stages.result(image, from: .disk, then: renewal)
    }

    @inline(never)
    nonisolated(nonsending) private func process(
        _ original: ProcessingInput, of hit: CacheHit, then renewal: Renewal?
    ) async throws(KingfisherError) -> PipelineResult? {
        switch try await stages.process(original, as: .original) {
        case .made(let image, let file):
            let new = NewImage(
                image: image, original: file, isFetched: false, freshness: hit.freshness,
                isPrivate: hit.isPrivate)
            // An image of an outdated original must not be stored beside the newer original.
            guard stages.isUnchanged(hit) else { return stages.result(new, then: renewal) }
            return await store(new, then: renewal)
        case .unreadable, .failed: return nil
        case .refused(let item): throw stages.processingFailure(of: item)
        }
    }

    // MARK: 6. Storing

    @inline(never)
    nonisolated(nonsending) private func store(
        _ new: NewImage, replacesOriginal: Bool = false, then renewal: Renewal? = nil
    ) async -> PipelineResult {
        let result = stages.result(new, then: renewal)
        if stages.mayStore(new) {
            await stages.store(new, replacesOriginal: new.isFetched && replacesOriginal)
        }
        return result
    }

    // MARK: 7. Delivery

    @inline(never)
    nonisolated(nonsending) private func deliver(
        _ hit: CacheHit, then renewal: Renewal? = nil
    ) async throws(KingfisherError) -> PipelineResult? {
        switch hit.content {
        case .memory(let stored):
            return stages.result(try await stages.image(of: stored), from: .memory, then: renewal)
        case .processed(let input, let place):
            return try await decode(input, of: hit, in: place, then: renewal)
        case .original(let original): return try await process(original, of: hit, then: renewal)
        }
    }
}
