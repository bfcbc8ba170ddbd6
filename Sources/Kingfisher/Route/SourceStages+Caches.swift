import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Memory and disk.
extension SourceStages {
    func imageInMemory() -> CachedAnswer? {
        // A subclass is asked by what it may override, once.
        guard !options.forceRefresh, !request.targetCache.isSubclass else { return nil }
        request.probe?(.memoryLookup(key))
        return request.targetCache.memoryHit(forKey: key, options: options).map(answer)
    }

    func usableImageInMemory() -> CachedAnswer? {
        let cache = request.targetCache
        guard looksAgain else { return nil }
        request.probe?(.memoryLookup(key))
        guard
            let image = cache.memoryStorage.value(forKey: computedKey, extendingExpiration: .none)
                ?? imageBeingWritten,
            freshness(of: image).map({ reuse(of: $0) == .fresh }) ?? true
        else { return nil }
        return answer(image)
    }

    /// Whether an image that came into the cache meanwhile would do. A request that does not ask the disk
    /// would not find there what is on its way to it.
    var looksAgain: Bool { !options.forceRefresh && !options.fromMemoryCacheOrRefresh }

    func answer(_ hit: MemoryHit) -> CachedAnswer {
        CachedAnswer(.memory(hit), freshness(of: hit.stored))
    }

    private func answer(_ image: KFCrossPlatformImage) -> CachedAnswer {
        answer(request.targetCache.memoryHit(image, forKey: key, options: options))
    }

    func promote(_ image: KFCrossPlatformImage) {
        request.targetCache.promote(image, forKey: key, options: options)
    }

    nonisolated(nonsending) func processedImage() async throws(KingfisherError) -> CachedAnswer? {
        let visited = visitCaches()
        let cache = request.targetCache
        guard !cache.isSubclass else { return try await askSubclass() }
        guard !options.fromMemoryCacheOrRefresh else { return nil }
        try checkIsWanted()
        // So that a download begins before the caller's call returns.
        if let stored = withoutFile(in: cache, computedKey, visited) { return stored.image.map(answer) }
        let finding =
            if options.readsDiskOnCallersThread {
                readFile(isWanted: { self.request.isWanted })
            } else {
                try await sharedFile()
            }
        try checkIsWanted()
        switch finding {
        case .image(let image):
            // The first of those who shared the look has put it there.
            if !arrivals.isCurrent, let hit = imageInMemory() { return hit }
            return CachedAnswer(.file(image, isPromoted: true), freshness(of: image))
        case .inMemory(let image): return answer(image)
        case .refused(let error): throw error
        case .nothing:
            // Another request may have fetched the image and be about to write it.
            return imageBeingWritten.map(answer)
        }
    }

    /// What a cache was given last under a key for which it certainly has no file, which is told without
    /// touching the disk; nil where it may have one. Requests that load nothing ask the disk itself.
    private func withoutFile(
        in cache: ImageCache, _ key: String, _ visited: DiskTraffic.Stored? = nil
    ) -> DiskTraffic.Stored? {
        guard !options.onlyFromCache, cache.diskStorage.knowsNames else { return nil }
        if visited == nil { request.probe?(.pendingWriteLookup(key)) }
        // First, as what is written meanwhile is among the names then.
        let stored = visited ?? cache.traffic.stored(forKey: key)
        let isRuledOut =
            !stored.isBeingWritten
            && cache.diskStorage.rulesOut(key, forcedExtension: options.forcedExtension)
        return isRuledOut ? stored : nil
    }

    private var imageBeingWritten: KFCrossPlatformImage? {
        request.probe?(.pendingWriteLookup(computedKey))
        return request.targetCache.traffic.stored(forKey: computedKey).image
    }

    /// Reads the file together with whoever wants the same one in the same way.
    nonisolated(nonsending) private func sharedFile() async throws(KingfisherError) -> DiskReadOutcome {
        let cache = request.targetCache
        let reading = DiskReading(
            computedKey: BytewiseString(computedKey), version: cache.traffic.version(of: computedKey),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            serializer: ValueIdentity(options.cacheSerializer), variant: options.imageVariant,
            extending: DiskReading.Extending(options.diskCacheAccessExtendingExpiration))
        let shared = try await waitIfWanted { [self] (resume: Resume<Shared<DiskReadOutcome>>) in
            share(cache.shared.reads, reading, resume: resume) {
                readFile(for: $0)
            } serve: {
                cache.diskQueue.run(key: computedKey, $0)
            }
        }
        return if case .outcome(let finding) = shared { finding } else { .nothing }
    }

    /// Reads the file in the key's queue. With a memory budget, a file that has to wait for memory is read
    /// once more when there is some (`ticket`): it may be another by then.
    private func readFile(
        for leader: SingleFlight<DiskReading, DiskReadOutcome>.Leader, ticket: AdmissionTicket? = nil
    ) {
        request.targetCache.diskQueue.run(key: computedKey) { [self] in
            var admission = Admission.granted
            // Held until the image is decoded.
            var ticket = ticket
            defer { withExtendedLifetime(ticket) {} }
            let finding =
                leader.isWanted
                ? readFile(isWanted: { leader.isWanted }) { data in
                    admission = admit(data, for: leader, &ticket)
                    if case .granted = admission { return true }
                    return false
                } : .nothing
            switch (admission, finding) {
            case (.waits, _): break
            case (.refused(let error), _): leader.complete(.refused(error), keeping: .none)
            // Who comes after a miss looks for itself: another process may have written the file.
            case (.granted, .nothing): leader.complete(finding, keeping: .none)
            case (.granted, _): leader.complete(finding)
            }
        }
    }

    private enum Admission { case granted, waits, refused(KingfisherError) }

    /// Reserves the memory for decoding a file.
    private func admit(
        _ data: Data, for leader: SingleFlight<DiskReading, DiskReadOutcome>.Leader,
        _ held: inout AdmissionTicket?
    ) -> Admission {
        do throws(KingfisherError) {
            if held == nil { held = try request.enterAdmission() }
            guard let ticket = held else { return .granted }
            leader.whenAbandoned { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            let bytes = options.decodingContext.run { ImageCodecs.decodingMemory(of: data) }
            let answer = ticket.reserve(total: bytes) { [self] in readFile(for: leader, ticket: ticket) }
            return switch answer {
            case .reserved: .granted
            case .waits: .waits
            case .exceedsBudget: .refused(ticket.excess(bytes))
            }
        } catch {
            return .refused(error)
        }
    }

    /// Reads and decodes the file, on this thread, unless another request has put the image into memory. A
    /// file that cannot be read is no reason to fail: the source still has the image. One that is not to be
    /// decoded (`admits`) is `nothing`.
    private func readFile(
        isWanted: @escaping @Sendable () -> Bool, admits: (Data) -> Bool = { _ in true }
    ) -> DiskReadOutcome {
        let cache = request.targetCache
        if !arrivals.isCurrent,
            let image = cache.memoryStorage.value(forKey: computedKey, extendingExpiration: .none)
        {
            return .inMemory(image)
        }
        request.probe?(.diskLookup(computedKey))
        let stored = try? cache.imageOnDisk(
            key, options: options, isCurrent: isWanted, admits: admits
        ).get()
        return stored.flatMap(processStored).map { .image($0) } ?? .nothing
    }

    /// The image of a file. With a serializer that keeps original bytes, the disk holds the unprocessed one.
    func processStored(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        guard options.cacheSerializer.originalDataUsed, hasProcessor else { return image }
        let made = options.decodingContext.run {
            options.processor.process(item: .image(image), options: options)
        }
        guard let made else { return nil }
        let notes = request.targetCache.notes
        notes.note(tags: notes.tags(of: image, forKey: computedKey), of: made, forKey: computedKey)
        if let freshness = freshness(of: image) { notes.note(freshness, of: made, forKey: computedKey) }
        return made
    }

    nonisolated(nonsending) func originalInCaches() async throws(KingfisherError) -> CachedAnswer? {
        visitCaches()
        let cache = request.originalCache
        guard !cache.isSubclass else { return try await askSubclassForOriginal() }
        request.probe?(.memoryLookup(key))
        let image = cache.memoryStorage.value(
            forKey: key, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
        if let image {
            let freshness = cache.notes.freshness(of: image, forKey: key)
            return try await shared(.inMemory(ObjectIdentifier(image))) { leader in
                leader.complete(ProcessingInput(.image(image), freshness: freshness))
            }
        }
        guard !options.fromMemoryCacheOrRefresh, withoutFile(in: cache, key) == nil else { return nil }
        if options.readsDiskOnCallersThread { return readOriginal().flatMap(answer) }
        let identity = OriginalIdentity.onDisk(
            key: BytewiseString(key), version: cache.traffic.version(of: key),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            DiskReading.Extending(options.diskCacheAccessExtendingExpiration))
        return try await shared(identity) { [self] leader in
            // In the queue of the original's own key: a store of it that is still on its way comes first.
            cache.diskQueue.runHereIfIdle(key: key) { [self] in
                let original = leader.isWanted ? readOriginal() : nil
                leader.complete(original, keeping: original == nil ? .none : .whileJoined)
            }
        }
    }

    private func readOriginal() -> ProcessingInput? {
        request.probe?(.diskLookup(key))
        let entry = try? request.originalCache.diskStorage.entry(
            forKey: key, forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration)
        return entry.map { ProcessingInput(.data($0.payload), freshness: HTTPFreshness($0.records)) }
    }

    /// An original together with whoever makes images of the same; or the processed image, if that came to
    /// the cache meanwhile.
    nonisolated(nonsending) private func shared(
        _ identity: OriginalIdentity,
        find: @escaping @Sendable (SingleFlight<OriginalIdentity, ProcessingInput?>.Leader) -> Void
    ) async throws(KingfisherError) -> CachedAnswer? {
        var mark = looksAgain ? arrivals : nil
        while true {
            let shared = try await waitIfWanted { [self, mark] (resume: Resume<Shared<ProcessingInput?>>) in
                share(
                    request.originalCache.shared.originals, identity, since: mark, resume: resume, lead: find)
            }
            switch shared {
            case .outcome(let original): return original.flatMap(answer)
            case .cacheHasChanged:
                mark = request.targetCache.arrivals.mark
                if let answer = usableImageInMemory() { return answer }
            }
        }
    }

    func answer(_ original: ProcessingInput) -> CachedAnswer? {
        // Of a file that was cut the source may have the rest.
        if let data = original.item.data, options.isPartial(data) { return nil }
        return CachedAnswer(.original(original), original.freshness)
    }
}

/// Caches whose methods may be overridden: they are asked by these methods, for each request by itself.
extension SourceStages {
    nonisolated(nonsending) private func askSubclass() async throws(KingfisherError) -> CachedAnswer? {
        switch try await ask(request.targetCache, options) {
        case .memory(let image): return answer(image)
        case .disk(let stored):
            // With a serializer that keeps original bytes, what the cache has put into memory of it gives way
            // to the processed one.
            guard let image = processStored(stored) else { return nil }
            if image !== stored { promote(image) }
            return CachedAnswer(.file(image, isPromoted: false), freshness(of: image))
        case .none: return nil
        }
    }

    nonisolated(nonsending) private func askSubclassForOriginal() async throws(KingfisherError)
        -> CachedAnswer?
    {
        guard let image = try await ask(request.originalCache, unprocessed).image else { return nil }
        let freshness = request.originalCache.notes.freshness(of: image, forKey: key)
        return answer(ProcessingInput(.image(image), freshness: freshness))
    }

    /// What memory has is given on this thread.
    nonisolated(nonsending) private func ask(
        _ cache: ImageCache, _ options: KingfisherParsedOptionsInfo
    ) async throws(KingfisherError) -> ImageCacheResult {
        let identifier = options.processor.identifier
        let computedKey = key.computedKey(with: identifier)
        return try await waitIfWanted { [self] (resume: Resume<ImageCacheResult>) in
            let ask: @Sendable () -> Void = { [self] in
                guard request.isWanted else { return resume(.none) }
                let type = cache.imageCachedType(
                    forKey: key, processorIdentifier: identifier, forcedExtension: options.forcedExtension)
                guard type.cached else { return resume(.none) }
                cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) {
                    resume((try? $0.get()) ?? .none)
                }
            }
            if options.readsDiskOnCallersThread || cache.memoryStorage.isCached(forKey: computedKey) {
                ask()
            } else {
                cache.diskQueue.run(key: computedKey, ask)
            }
        }
    }
}
