import Foundation
import Glibc
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

/// Memory and disk.
extension LiveStages {
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

    func imageStoredMeanwhile() -> CacheHit? {
        // A subclass has stored this very image there.
        guard !insertions.isCurrent, !request.targetCache.isSubclass else { return nil }
        return usableImageInMemory()
    }

    func keep(_ image: KFCrossPlatformImage, of hit: CacheHit, in place: CacheHit.Place) {
        guard case .processed(let input, _) = hit.content else { return }
        let cache = request.targetCache
        // Even without `.httpCaching`, because a later request may have it.
        if let freshness = hit.freshness { cache.notes.note(freshness, of: image, forKey: computedKey) }
        cache.notes.note(tags: input.tags, of: image, forKey: computedKey)
        if input.isPrivate || hit.isPrivate { cache.notes.notePrivate(image, forKey: computedKey) }
        if case .nowhere = place { return }
        guard !wasRemoved else { return }
        // A subclass has stored its own image.
        if case .image(let stored) = input.item, stored === image { return }
        if case .caches(let entry) = place {
            storeOnDisk(entry, hit.freshness, in: cache, forComputedKey: computedKey)
        }
        cache.promote(image, forKey: key, options: options)
        if wasRemoved { removeStored() }
    }

    nonisolated(nonsending) func processedImage() async throws(KingfisherError) -> CacheHit? {
        let written = registerKeys()
        let cache = request.targetCache
        guard !cache.isSubclass else { return try await lookUpInSubclass() }
        guard !options.fromMemoryCacheOrRefresh else { return nil }
        try checkIsWanted()
        // If there is certainly no file, the download starts before the caller's call returns.
        if let stored = storeStateWithoutFile(in: cache, computedKey, written) {
            return stored.image.map(cacheHit)
        }
        let hit = try await file(in: cache, computedKey) { [self] in processedHit($0, .memory) }
        // Another request may have fetched the image and not written it yet.
        return hit ?? imageBeingWritten.map(cacheHit)
    }

    /// The store state of a key that certainly has no file, found without I/O; nil if there may be a file.
    /// With `onlyFromCache` the disk is always read.
    private func storeStateWithoutFile(
        in cache: ImageCache, _ key: String, _ written: DiskTraffic.Stored? = nil
    ) -> DiskTraffic.Stored? {
        guard !options.onlyFromCache, cache.diskStorage.knowsNames else { return nil }
        if written == nil { request.probe?(.pendingWriteLookup(key)) }
        // Before the name filter: a file that is written in the meantime is in the filter by then.
        let stored = written ?? cache.traffic.stored(forKey: key)
        let isRuledOut =
            !stored.isBeingWritten
            && cache.diskStorage.rulesOut(key, forcedExtension: options.forcedExtension)
        return isRuledOut ? stored : nil
    }

    private var imageBeingWritten: KFCrossPlatformImage? {
        request.probe?(.pendingWriteLookup(computedKey))
        return request.targetCache.traffic.stored(forKey: computedKey).image
    }

    nonisolated(nonsending) func originalInCaches() async throws(KingfisherError) -> CacheHit? {
        registerKeys()
        let cache = request.originalCache
        guard !cache.isSubclass else { return try await lookUpOriginalInSubclass() }
        request.probe?(.memoryLookup(key))
        let image = cache.memoryStorage.value(
            forKey: key, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
        if let image {
            return try await input(.inMemory(ObjectIdentifier(image)), in: cache, hit: cacheHit) {
                [self] leader in
                leader.complete(.input(input(of: image)))
            }
        }
        guard !options.fromMemoryCacheOrRefresh, storeStateWithoutFile(in: cache, key) == nil else {
            return nil
        }
        return try await file(in: cache, key, hit: cacheHit)
    }

    /// An image in the memory of the original cache.
    private func input(of image: KFCrossPlatformImage) -> ProcessingInput {
        let note = request.originalCache.notes.note(of: image, forKey: key)
        return ProcessingInput(
            .image(image), freshness: note?.freshness, isPrivate: note?.isPrivate ?? false)
    }

    func cacheHit(_ original: ProcessingInput) -> CacheHit? {
        isWhole(original)
            ? CacheHit(.original(original), original.freshness, isPrivate: original.isPrivate) : nil
    }

    func processedHit(_ input: ProcessingInput, _ place: CacheHit.Place) -> CacheHit? {
        isWhole(input)
            ? CacheHit(.processed(input, place), input.freshness, isPrivate: input.isPrivate) : nil
    }

    /// The source may have the rest of a truncated file.
    private func isWhole(_ input: ProcessingInput) -> Bool {
        input.item.data.map { !options.isPartial($0) } ?? true
    }

    /// Reads the file of a key, once for concurrent requests, on the key's queue after pending writes.
    nonisolated(nonsending) private func file(
        in cache: ImageCache, _ fileKey: String, hit: (ProcessingInput) -> CacheHit?
    ) async throws(KingfisherError) -> CacheHit? {
        if options.readsDiskOnCallersThread {
            return switch readFile(of: cache, fileKey, on: pthread_self()) {
            case .input(let input): hit(input)
            case .nothing: nil
            case .isInMemory: usableImageInMemory()
            }
        }
        let identity = InputIdentity.onDisk(
            key: BytewiseString(fileKey), version: cache.traffic.version(of: fileKey),
            forcedExtension: options.forcedExtension.map { BytewiseString($0) },
            InputIdentity.Extending(options.diskCacheAccessExtendingExpiration))
        let onQueue: @Sendable (@escaping @Sendable () -> Void) -> Void = {
            cache.diskQueue.runHereIfIdle(key: fileKey, $0)
        }
        return try await input(identity, in: cache, hit: hit) { [self] leader in
            onQueue { [self] in
                let found = leader.isWanted ? readFile(of: cache, fileKey) : .nothing
                // After a miss the next request reads again: another process may have written the file.
                if case .input = found {
                    leader.complete(found)
                } else {
                    leader.complete(found, keeping: .none)
                }
            }
        } serve: {
            onQueue($0)
        }
    }

    /// Reads the file on this thread, unless another request has stored the image in memory. A file that
    /// cannot be read is a miss, because the source still has the image.
    private func readFile(
        of cache: ImageCache, _ fileKey: String, on thread: pthread_t? = nil
    ) -> InputOutcome {
        // Requests with other processors share the reading of an original.
        if fileKey == computedKey, imageStoredMeanwhile() != nil { return .isInMemory }
        request.probe?(.diskLookup(fileKey))
        let entry = try? cache.diskStorage.entry(
            forKey: fileKey, forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration)
        guard let entry else { return .nothing }
        return .input(
            ProcessingInput(
                .data(entry.payload), freshness: HTTPFreshness(entry.records),
                isPrivate: entry.records.arePrivate, tags: entry.tags,
                place: .key(fileKey, cache.diskQueue), thread: thread))
    }

    typealias InputFlight = SingleFlight<InputIdentity, InputOutcome>

    /// Finds an input, once for concurrent requests. If an image has been stored in memory in the meantime,
    /// returns that.
    nonisolated(nonsending) private func input(
        _ identity: InputIdentity, in cache: ImageCache, hit: (ProcessingInput) -> CacheHit?,
        find: @escaping @Sendable (InputFlight.Leader) -> Void,
        serve: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) async throws(KingfisherError) -> CacheHit? {
        var mark = rechecksMemory ? insertions : nil
        while true {
            let shared = try await waitIfWanted {
                [self, mark] (resume: Resume<SharedOutcome<InputOutcome>>) in
                share(
                    cache.shared.inputs, identity, since: mark, resume: resume, lead: find, serve: serve)
            }
            switch shared {
            case .outcome(.input(let input)): return hit(input)
            case .outcome(.nothing): return nil
            case .outcome(.isInMemory), .cacheHasChanged:
                mark = request.targetCache.insertions.mark
                if let hit = usableImageInMemory() { return hit }
            }
        }
    }
}

/// Subclasses of `ImageCache`: each request calls the methods that the subclass may override, unshared.
extension LiveStages {
    nonisolated(nonsending) private func lookUpInSubclass() async throws(KingfisherError) -> CacheHit? {
        switch try await retrieve(from: request.targetCache, options) {
        case .memory(let image): return cacheHit(image)
        case .disk(let stored):
            // With a serializer that stores original bytes, the cache has promoted the unprocessed image; the
            // processed one replaces it.
            let note = request.targetCache.notes.note(of: stored, forKey: computedKey)
            let input = ProcessingInput(
                .image(stored), freshness: note?.freshness, isPrivate: note?.isPrivate ?? false,
                tags: note?.tags ?? [])
            return CacheHit(.processed(input, .memory), input.freshness, isPrivate: input.isPrivate)
        case .none: return nil
        }
    }

    nonisolated(nonsending) private func lookUpOriginalInSubclass() async throws(KingfisherError)
        -> CacheHit?
    {
        guard let image = try await retrieve(from: request.originalCache, options.unprocessed).image else {
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
