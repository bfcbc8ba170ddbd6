import KingfisherImage
import KingfisherTransport

/// What happens to a request, in which order.
///
/// 1. memory; 2. the processed image on disk and in tiers; 3. the original in memory, on disk and in tiers;
/// 4. the source; 5. processing; 6. storing; 7. delivery. Freshness decides at each find whether it may be
/// used; after a failure a `FailoverPlan` and the retry strategy decide what is loaded next.
///
/// A route makes decisions only: what a stage does is up to `RouteStages`. It runs on the thread of whatever
/// it waited for last (`ImageRequest`). Its functions stay in the caller's isolation and are not inlined:
/// each switch of executors costs, and frames of more than 984 bytes are allocated one by one.
struct Route: Sendable {
    let request: any RouteRequest

    /// Runs a request to its end.
    ///
    /// - Parameter hit: What memory had for it.
    nonisolated(nonsending) func run(from hit: MemoryHit?) async {
        var plan = request.failoverPlan
        var source = request.source
        var isFirst = true
        while true {
            let stages = request.begin(source, plan)
            do {
                // The first source's was looked up by the manager.
                let hit = isFirst ? hit.map(stages.answer) : stages.imageInMemory()
                let loaded = try await SourceRoute(stages: stages).load(from: hit)
                if request.finish(with: loaded), let renewal = loaded.renewal { stages.renew(renewal) }
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

    /// Renews in the background what a request was answered with.
    nonisolated(nonsending) func renew(_ renewal: Renewal) async {
        let stages = request.begin(request.source, request.failoverPlan)
        do {
            request.finish(with: try await SourceRoute(stages: stages).renew(renewal))
        } catch {
            request.fail(with: error)
        }
    }

    /// The source to load after a failure; nil where the request ends with it.
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
                step = plan.step(afterStanding: failure)
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

/// The stages of one source, in their order.
struct SourceRoute: Sendable {
    let stages: any RouteStages

    /// - Parameter hit: What memory has.
    nonisolated(nonsending) func load(from hit: CachedAnswer?) async throws(KingfisherError) -> Loaded {
        if let hit, let loaded = try await use(hit) { return loaded }
        if hit == nil, !stages.skipsCaches {
            if let loaded = try await processed() { return loaded }
            if let loaded = try await original() { return loaded }
        }
        return try await fetch()
    }

    nonisolated(nonsending) func renew(_ renewal: Renewal) async throws(KingfisherError) -> Loaded {
        switch renewal {
        case .revalidation(let answer): return try await fetch(insteadOf: stages.traced(answer))
        case .replacement(let leases):
            stages.keep(leases)
            return try await fetch()
        }
    }

    // MARK: 2. The processed image on disk, then in tiers

    @inline(never)
    nonisolated(nonsending) private func processed() async throws(KingfisherError) -> Loaded? {
        if let answer = try await stages.processedImage(), let loaded = try await use(answer) {
            return loaded
        }
        guard !stages.readsMemoryOnly else { return nil }
        switch try await stages.processedInTiers() {
        case .hit(let answer)?: return try await use(answer)
        case .stale(let answer, let leases)?:
            return try await deliver(answer, then: leases.isEmpty ? nil : .replacement(leases))
        case nil: return nil
        }
    }

    // MARK: 3. The original in memory, on disk, then in tiers

    @inline(never)
    nonisolated(nonsending) private func original() async throws(KingfisherError) -> Loaded? {
        guard stages.hasProcessor else { return nil }
        if let answer = try await stages.originalInCaches() { return try await use(answer) }
        guard !stages.readsMemoryOnly else { return nil }
        if let answer = try await stages.originalInTiers() { return try await use(answer) }
        return nil
    }

    // MARK: Freshness

    /// Uses what a cache has as far as its server allows it; nil where it is of no use.
    @inline(never)
    nonisolated(nonsending) private func use(_ answer: CachedAnswer) async throws(KingfisherError) -> Loaded?
    {
        let reuse = stages.reuse(of: answer)
        // Another request may have stored a newer image meanwhile.
        if reuse != .fresh, let newer = stages.usableImageInMemory() { return try await deliver(newer) }
        switch reuse {
        case .fresh: return try await deliver(answer)
        case .staleWhileRevalidate:
            return try await deliver(stages.traced(answer), then: .revalidation(answer))
        case .revalidate: return try await fetch(insteadOf: stages.traced(answer))
        case .unusable: return try await fetch()
        }
    }

    // MARK: 4. The source

    /// Loads from the source.
    ///
    /// - Parameter stale: What a cache has, about which the server is asked, and which may take the place of
    ///   an error.
    @inline(never)
    nonisolated(nonsending) private func fetch(insteadOf stale: CachedAnswer? = nil)
        async throws(KingfisherError) -> Loaded
    {
        var stale = stale
        while true {
            let fetched: Fetched
            do {
                fetched = try await stages.fetch(insteadOf: stale)
            } catch {
                return try await standIn(for: error, stale)
            }
            switch fetched {
            case .inCache(let answer):
                if let loaded = try await deliver(answer) { return loaded }
            case .image(let image): return await store(image, insteadOf: stale)
            case .bytes(let bytes): return try await process(bytes)
            case .confirmation(let arrival):
                guard let answer = stale, let confirmed = stages.confirmed(answer, by: arrival) else {
                    // It speaks of other bytes than the cache has.
                    stale = stale?.withoutValidators
                    continue
                }
                try await stages.store(confirmed: confirmed, insteadOf: answer, arrival)
                if let loaded = try await deliver(confirmed) { return loaded }
                stale = nil
            }
        }
    }

    /// The stale answer, where it may take the place of an error.
    @inline(never)
    nonisolated(nonsending) private func standIn(
        for error: KingfisherError, _ stale: CachedAnswer?
    ) async throws(KingfisherError) -> Loaded {
        guard let stale else { throw error }
        guard stages.allowsStale(stale, after: error) else {
            stages.forget(stale, after: error)
            throw error
        }
        guard let loaded = try await deliver(stale) else { throw error }
        return loaded
    }

    // MARK: 5. Processing

    /// Makes the image of a provider's bytes.
    @inline(never)
    nonisolated(nonsending) private func process(_ bytes: ProcessingInput) async throws(KingfisherError) -> Loaded {
        guard case .made(let image, let original) = try await stages.process(bytes) else {
            throw stages.refusal(of: bytes.item)
        }
        return await store(NewImage(image: image, original: original))
    }

    /// Makes the image of an original that a cache has; nil where that cannot be read.
    @inline(never)
    nonisolated(nonsending) private func process(
        _ original: ProcessingInput, of answer: CachedAnswer, then renewal: Renewal?
    ) async throws(KingfisherError) -> Loaded? {
        switch try await stages.process(original: original) {
        case .made(let image, let file):
            let new = NewImage(image: image, original: file, isFetched: false, freshness: answer.freshness)
            // A newer original is not to be replaced by an image of the old one.
            guard stages.isUnchanged(answer) else { return stages.loaded(new, then: renewal) }
            return await store(new, then: renewal)
        case .unreadable: return nil
        case .refused(let item):
            throw stages.refusal(of: item)
        }
    }

    // MARK: 6. Storing

    @inline(never)
    nonisolated(nonsending) private func store(
        _ new: NewImage, insteadOf stale: CachedAnswer? = nil, then renewal: Renewal? = nil
    ) async -> Loaded {
        let loaded = stages.loaded(new, then: renewal)
        if stages.mayStore(new) {
            await stages.store(new, replacesOriginal: new.isFetched && stale?.isOriginal == true)
        }
        return loaded
    }

    // MARK: 7. Delivery

    /// The result of what a cache has; nil where no image can be made of it.
    @inline(never)
    nonisolated(nonsending) private func deliver(
        _ answer: CachedAnswer, then renewal: Renewal? = nil
    ) async throws(KingfisherError) -> Loaded? {
        switch answer.content {
        case .memory(let hit):
            return stages.loaded(try await stages.image(of: hit), from: .memory, then: renewal)
        case .file(let image, let isPromoted):
            // What its server wants out of caches has just left them.
            if isPromoted, answer.isStorable, stages.isUnchanged(answer) { stages.promote(image) }
            return stages.loaded(image, from: .disk, then: renewal)
        case .original(let original): return try await process(original, of: answer, then: renewal)
        }
    }
}
