import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

/// Memory and disk.
extension SourceStages {
    func imageInMemory() -> CacheHit? {
        // A subclass is called once, later, through the methods that it may override.
        guard !options.forceRefresh, !request.targetCache.isSubclass else { return nil }
        request.probe?(.memoryLookup(key))
        return request.targetCache.memoryHit(forKey: key, options: options).map(cacheHit)
    }

    func usableImageInMemory() -> CacheHit? {
        let cache = request.targetCache
        guard rechecksMemory else { return nil }
        request.probe?(.memoryLookup(key))
        guard
            let image = cache.memoryStorage.value(forKey: computedKey, extendingExpiration: .none)
                ?? imageBeingWritten,
            freshness(of: image).map({ reuse(of: $0) == .fresh }) ?? true
        else { return nil }
        return cacheHit(image)
    }

    /// Whether the request may use an image that was stored since it looked in memory. Without the disk it
    /// must not: an image that is about to be written counts as one on disk.
    var rechecksMemory: Bool { !options.forceRefresh && !options.fromMemoryCacheOrRefresh }

    func cacheHit(_ hit: MemoryHit) -> CacheHit {
        CacheHit(.memory(hit), freshness(of: hit.stored))
    }

    private func cacheHit(_ image: KFCrossPlatformImage) -> CacheHit {
        cacheHit(request.targetCache.memoryHit(image, forKey: key, options: options))
    }

    func promote(_ image: KFCrossPlatformImage) {
        request.targetCache.promote(image, forKey: key, options: options)
    }

    nonisolated(nonsending) func processedImage() async throws(KingfisherError) -> CacheHit? {
        let visited = visitCaches()
        let cache = request.targetCache
        guard !cache.isSubclass else { return try await lookUpInSubclass() }
        guard !options.fromMemoryCacheOrRefresh else { return nil }
        try checkIsWanted()
        // If there is certainly no file, the download starts before the caller's call returns.
        if let stored = storeStateWithoutFile(in: cache, computedKey, visited) {
            return stored.image.map(cacheHit)
        }
        let outcome =
            if options.readsDiskOnCallersThread {
                readFile(isWanted: { self.request.isWanted })
            } else {
                try await readSharedFile()
            }
        try checkIsWanted()
        switch outcome {
        case .image(let image):
            // Another request that shared the read has promoted the image.
            if !arrivals.isCurrent, let hit = imageInMemory() { return hit }
            return CacheHit(.file(image, isPromoted: true), freshness(of: image))
        case .inMemory(let image): return cacheHit(image)
        case .refused(let error): throw error
        case .nothing:
            // Another request may have fetched the image and not written it yet.
            return imageBeingWritten.map(cacheHit)
        }
    }

    /// The store state of a key that certainly has no file, found without I/O; nil if there may be a file.
    /// With `onlyFromCache` the disk is always read.
    private func storeStateWithoutFile(
        in cache: ImageCache, _ key: String, _ visited: DiskTraffic.Stored? = nil
    ) -> DiskTraffic.Stored? {
        guard !options.onlyFromCache, cache.diskStorage.knowsNames else { return nil }
        if visited == nil { request.probe?(.pendingWriteLookup(key)) }
        // Before the name filter: a file that is written in the meantime is in the filter by then.
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

    nonisolated(nonsending) private func readSharedFile() async throws(KingfisherError) -> DiskReadOutcome {
        let cache = request.targetCache
        let reading = DiskReading(
            computedKey: BytewiseString(computedKey), version: cache.traffic.version(of: computedKey),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            serializer: ValueIdentity(options.cacheSerializer), variant: options.imageVariant,
            extending: DiskReading.Extending(options.diskCacheAccessExtendingExpiration))
        let shared = try await waitIfWanted { [self] (resume: Resume<SharedOutcome<DiskReadOutcome>>) in
            share(cache.shared.reads, reading, resume: resume) {
                readFile(for: $0)
            } serve: {
                cache.diskQueue.run(key: computedKey, $0)
            }
        }
        return if case .outcome(let outcome) = shared { outcome } else { .nothing }
    }

    /// Reads the file on the key's queue. If decoding has to wait for memory, the file is read again after
    /// the wait (with `ticket`), because it may have changed.
    private func readFile(
        for leader: SingleFlight<DiskReading, DiskReadOutcome>.Leader, ticket: AdmissionTicket? = nil
    ) {
        request.targetCache.diskQueue.run(key: computedKey) { [self] in
            var admission = AdmissionTicket.Answer.reserved
            // Keeps the reservation until the image is decoded.
            var ticket = ticket
            defer { withExtendedLifetime(ticket) {} }
            let outcome =
                leader.isWanted
                ? DecodingWork.run {
                    readFile(isWanted: { leader.isWanted }) { data in
                        admission = admit(data, for: leader, &ticket)
                        if case .reserved = admission { return true }
                        return false
                    }
                } : .nothing
            switch (admission, outcome) {
            case (.waits, _): break
            case (.refused(let error), _): leader.complete(.refused(error), keeping: .none)
            // After a miss the next request reads again: another process may have written the file.
            case (.reserved, .nothing): leader.complete(outcome, keeping: .none)
            case (.reserved, _): leader.complete(outcome)
            }
        }
    }

    private func admit(
        _ data: Data, for leader: SingleFlight<DiskReading, DiskReadOutcome>.Leader,
        _ held: inout AdmissionTicket?
    ) -> AdmissionTicket.Answer {
        do throws(KingfisherError) {
            if held == nil { held = try request.enterAdmission() }
            guard let ticket = held else { return .reserved }
            leader.whenAbandoned { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            let bytes = options.decodingContext.run {
                ImageCodecs.decodingMemory(
                    of: data, scale: options.scaleFactor, acceptsPartialImages: options.acceptsPartialImages)
            }
            return ticket.reserve(total: bytes) { [self] in readFile(for: leader, ticket: ticket) }
        } catch {
            return .refused(error)
        }
    }

    /// Reads and decodes the file on this thread, unless another request has stored the image in memory. A
    /// file that cannot be read or that `admits` rejects is a miss, because the source still has the image.
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

    func processStored(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        guard options.cacheSerializer.originalDataUsed, hasProcessor else { return image }
        let made = options.decodingContext.run {
            options.processor.process(item: .image(image), options: options)
        }
        guard let made else { return nil }
        request.targetCache.notes.copy(from: image, to: made, forKey: computedKey)
        return made
    }

    nonisolated(nonsending) func originalInCaches() async throws(KingfisherError) -> CacheHit? {
        visitCaches()
        let cache = request.originalCache
        guard !cache.isSubclass else { return try await lookUpOriginalInSubclass() }
        request.probe?(.memoryLookup(key))
        let image = cache.memoryStorage.value(
            forKey: key, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
        if let image {
            return try await shared(.inMemory(ObjectIdentifier(image))) { [self] leader in
                leader.complete(input(of: image))
            }
        }
        guard !options.fromMemoryCacheOrRefresh, storeStateWithoutFile(in: cache, key) == nil else {
            return nil
        }
        if options.readsDiskOnCallersThread { return readOriginal().flatMap(cacheHit) }
        let identity = OriginalIdentity.onDisk(
            key: BytewiseString(key), version: cache.traffic.version(of: key),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            DiskReading.Extending(options.diskCacheAccessExtendingExpiration))
        return try await shared(identity) { [self] leader in
            // On the queue of the original's key, after a pending write of it.
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
        return entry.map {
            ProcessingInput(
                .data($0.payload), freshness: HTTPFreshness($0.records), isPrivate: $0.records.arePrivate)
        }
    }

    /// An image in the memory of the original cache.
    private func input(of image: KFCrossPlatformImage) -> ProcessingInput {
        let note = request.originalCache.notes.note(of: image, forKey: key)
        return ProcessingInput(
            .image(image), freshness: note?.freshness, isPrivate: note?.isPrivate ?? false)
    }

    nonisolated(nonsending) private func shared(
        _ identity: OriginalIdentity,
        find: @escaping @Sendable (SingleFlight<OriginalIdentity, ProcessingInput?>.Leader) -> Void
    ) async throws(KingfisherError) -> CacheHit? {
        var mark = rechecksMemory ? arrivals : nil
        while true {
            let shared = try await waitIfWanted {
                [self, mark] (resume: Resume<SharedOutcome<ProcessingInput?>>) in
                share(
                    request.originalCache.shared.originals, identity, since: mark, resume: resume, lead: find)
            }
            switch shared {
            case .outcome(let original): return original.flatMap(cacheHit)
            case .cacheHasChanged:
                mark = request.targetCache.arrivals.mark
                if let hit = usableImageInMemory() { return hit }
            }
        }
    }

    func cacheHit(_ original: ProcessingInput) -> CacheHit? {
        // The source may have the rest of a truncated file.
        if let data = original.item.data, options.isPartial(data) { return nil }
        return CacheHit(.original(original), original.freshness, isPrivate: original.isPrivate)
    }
}

/// Subclasses of `ImageCache`: each request calls the methods that the subclass may override, unshared.
extension SourceStages {
    nonisolated(nonsending) private func lookUpInSubclass() async throws(KingfisherError) -> CacheHit? {
        switch try await retrieve(from: request.targetCache, options) {
        case .memory(let image): return cacheHit(image)
        case .disk(let stored):
            // With a serializer that stores original bytes, the cache has promoted the unprocessed image; the
            // processed one replaces it.
            guard let image = processStored(stored) else { return nil }
            if image !== stored { promote(image) }
            return CacheHit(.file(image, isPromoted: false), freshness(of: image))
        case .none: return nil
        }
    }

    nonisolated(nonsending) private func lookUpOriginalInSubclass() async throws(KingfisherError)
        -> CacheHit?
    {
        guard let image = try await retrieve(from: request.originalCache, unprocessed).image else {
            return nil
        }
        return cacheHit(input(of: image))
    }

    nonisolated(nonsending) private func retrieve(
        from cache: ImageCache, _ options: KingfisherParsedOptionsInfo
    ) async throws(KingfisherError) -> ImageCacheResult {
        let identifier = options.processor.identifier
        let computedKey = key.computedKey(with: identifier)
        return try await waitIfWanted { [self] (resume: Resume<ImageCacheResult>) in
            let retrieve: @Sendable () -> Void = { [self] in
                guard request.isWanted else { return resume(.none) }
                let type = cache.imageCachedType(
                    forKey: key, processorIdentifier: identifier, forcedExtension: options.forcedExtension)
                guard type.cached else { return resume(.none) }
                cache.retrieveImage(forKey: key, options: options, callbackQueue: .untouch) {
                    resume((try? $0.get()) ?? .none)
                }
            }
            if options.readsDiskOnCallersThread || cache.memoryStorage.isCached(forKey: computedKey) {
                retrieve()
            } else {
                cache.diskQueue.run(key: computedKey, retrieve)
            }
        }
    }
}
