import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Tiers below the disk.
extension LiveStages {
    /// Nil for a local file whose version is compared: another machine has other versions.
    private var tiers: TierStack? { loadedSource.isComparedFile(options) ? nil : request.tiers }

    var tierKey: TierKey {
        TierKey(
            cacheKey: key, processorIdentifier: options.processor.identifier,
            fileExtension: options.forcedExtension)
    }

    var originalTierKey: TierKey { TierKey(cacheKey: key, fileExtension: options.forcedExtension) }

    nonisolated(nonsending) func processedInTiers() async throws(KingfisherError) -> TierHit? {
        guard let tiers else { return nil }
        let found = try await read(tiers, tierKey, originals: false)
        switch found.outcome {
        case .hit(let entry):
            return found.input.flatMap { processedHit($0, .caches(entry)) }.map { .hit($0) }
        case .stale(let entry, let leases) where !isForRequest(entry.freshness):
            keep(leases)
            return nil
        case .stale(_, let leases):
            return found.input.flatMap { processedHit($0, .nowhere) }.map {
                .stale($0.withoutFreshness, leases)
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
        guard let tiers, tiers.keepsOriginals else { return nil }
        let found = try await read(tiers, originalTierKey, originals: true)
        switch found.outcome {
        case .hit(let entry), .stale(let entry, _):
            storeOnDisk(entry, entry.freshness, in: request.originalCache, forComputedKey: key)
            return found.input.flatMap(cacheHit)
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
    ) async throws(KingfisherError) -> TierInput {
        let read = TierRead(
            stack: ObjectIdentifier(tiers), key: BytewiseString(key.text), originals: originals)
        let shared = try await waitIfWanted { [self] (resume: Resume<SharedOutcome<TierInput>>) in
            share(request.targetCache.shared.tierReads, read, resume: resume) { leader in
                let clock = request.targetCache.clock
                let work = Task {
                    leader.complete(TierInput(await tiers.read(key, originals: originals, by: clock)))
                }
                leader.whenAbandoned {
                    work.cancel()
                    return nil
                }
            }
        }
        return if case .outcome(let found) = shared { found } else { TierInput(.absent(nil)) }
    }

    /// - Parameter freshness: Of the entry, or newer.
    func storeOnDisk(
        _ entry: TierEntry, _ freshness: HTTPFreshness?, in cache: ImageCache, forComputedKey key: String
    ) {
        guard !options.cacheMemoryOnly, !cache.isSubclass else { return }
        let expiration = options.diskCacheExpiration ?? cache.diskStorage.config.expiration
        let expiresSooner = entry.expiration < expiration.estimatedExpirationSince(cache.clock.now)
        cache.storeToDisk(
            entry.data, forComputedKey: key, forcedExtension: options.forcedExtension,
            expiration: expiresSooner ? .date(entry.expiration) : expiration, freshness: freshness,
            tags: entry.tags, completionHandler: nil)
    }

    func tierWrite(
        _ key: TierKey, _ leases: TierLeases?, originals: Bool = false
    ) -> (@Sendable (EncodedImage) -> Void)? {
        guard let tiers else { return nil }
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
