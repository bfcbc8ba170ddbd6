import Foundation
import KingfisherConcurrency
import KingfisherImage

/// Tiers below the disk.
extension SourceStages {
    var tierKey: TierKey {
        TierKey(
            cacheKey: key, processorIdentifier: options.processor.identifier,
            fileExtension: options.forcedExtension)
    }

    var originalTierKey: TierKey { TierKey(cacheKey: key, fileExtension: options.forcedExtension) }

    nonisolated(nonsending) func processedInTiers() async throws(KingfisherError) -> TierHit? {
        guard let tiers = request.tiers else { return nil }
        switch try await read(tiers, tierKey, originals: false) {
        case .hit(let entry):
            return try await image(of: entry, storesOnDisk: true).map {
                .hit(CacheHit(.file($0, isPromoted: true), freshness(of: $0)))
            }
        case .stale(let entry, let leases) where !isForRequest(entry.freshness):
            keep(leases)
            return nil
        case .stale(let entry, let leases):
            return try await image(of: entry, storesOnDisk: false).map {
                .stale(CacheHit(.file($0, isPromoted: false), nil), leases)
            }
        case .negative(let failure) where sharesFailures:
            throw error(ofStatus: failure.statusCode, until: failure.expiration)
        case .negative: return nil
        case .absent(let leases):
            if let leases { keep(leases) }
            return nil
        }
    }

    nonisolated(nonsending) func originalInTiers() async throws(KingfisherError) -> CacheHit? {
        guard let tiers = request.tiers, tiers.keepsOriginals else { return nil }
        switch try await read(tiers, originalTierKey, originals: true) {
        case .hit(let entry), .stale(let entry, _):
            storeOnDisk(entry, in: request.originalCache, forComputedKey: key)
            return cacheHit(ProcessingInput(.data(entry.data), freshness: entry.freshness))
        case .negative(let failure):
            // Without a status the original is not an image, but this processor may know its format.
            guard sharesFailures, let status = failure.statusCode else { return nil }
            throw error(ofStatus: status, until: failure.expiration)
        // The lease is released: only processed images are written with leases.
        case .absent: return nil
        }
    }

    nonisolated(nonsending) private func read(
        _ tiers: TierStack, _ key: TierKey, originals: Bool
    ) async throws(KingfisherError) -> TierStack.ReadOutcome {
        let read = TierRead(
            stack: ObjectIdentifier(tiers), key: BytewiseString(key.text), originals: originals)
        let shared = try await waitIfWanted { [self] (resume: Resume<SharedOutcome<TierStack.ReadOutcome>>) in
            share(request.targetCache.shared.tierReads, read, resume: resume) { leader in
                let clock = request.targetCache.clock
                let work = Task { leader.complete(await tiers.read(key, originals: originals, by: clock)) }
                leader.whenAbandoned {
                    work.cancel()
                    return nil
                }
            }
        }
        return if case .outcome(let outcome) = shared { outcome } else { .absent(nil) }
    }

    nonisolated(nonsending) private func image(of entry: TierEntry, storesOnDisk: Bool)
        async throws(KingfisherError)
        -> KFCrossPlatformImage?
    {
        try checkIsWanted()
        let cache = request.targetCache
        let outcome = try await processing(.data(entry.data), isHeld: true) { [self] resume in
            guard request.isWanted else { return resume(.success(.unreadable)) }
            let decoded = options.decodingContext.run {
                options.cacheSerializer.image(with: entry.data, options: options)
            }
            if let decoded, let freshness = entry.freshness {
                cache.notes.note(freshness, of: decoded, forKey: computedKey)
            }
            let image = decoded.flatMap(processStored)
            resume(.success(image.map { .made($0, original: nil) } ?? .unreadable))
        }
        try checkIsWanted()
        guard case .made(let image, _) = outcome, !options.isPartial(entry.data) else { return nil }
        if storesOnDisk {
            cache.notes.note(tags: entry.tags, of: image, forKey: computedKey)
            storeOnDisk(entry, in: cache, forComputedKey: computedKey)
        }
        return image
    }

    private func storeOnDisk(_ entry: TierEntry, in cache: ImageCache, forComputedKey key: String) {
        guard !options.cacheMemoryOnly, !cache.isSubclass else { return }
        let expiration = options.diskCacheExpiration ?? cache.diskStorage.config.expiration
        let expiresSooner = entry.expiration < expiration.estimatedExpirationSince(cache.clock.now)
        cache.storeToDisk(
            entry.data, forComputedKey: key, forcedExtension: options.forcedExtension,
            expiration: expiresSooner ? .date(entry.expiration) : expiration, freshness: entry.freshness,
            tags: entry.tags, completionHandler: nil)
    }

    func tierWrite(
        _ key: TierKey, _ leases: TierLeases?, originals: Bool = false
    ) -> (@Sendable (EncodedImage) -> Void)? {
        guard let tiers = request.tiers else { return nil }
        let expiration = options.diskCacheExpiration ?? request.targetCache.diskStorage.config.expiration
        let now = request.targetCache.clock.now
        return { file in
            let entry = TierEntry(
                data: file.data, mediaType: ImageCodecs.codec(for: file.data)?.mediaType, created: now,
                expiration: expiration.estimatedExpirationSince(now),
                validators: TierEntry.validators(file.freshness), tags: file.tags)
            tiers.write(entry, for: key, leases: leases, originals: originals)
        }
    }
}
