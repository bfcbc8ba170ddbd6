import Foundation
import KingfisherImage

/// One look into the tiers; equal ones are shared.
struct TierRead: Hashable, Sendable {
    let stack: ObjectIdentifier
    let key: ExactText
    let originals: Bool
}

/// Tiers in the way of a request.
extension SourceRetrieval {
    var tierKey: TierKey {
        TierKey(
            cacheKey: key, processorIdentifier: options.processor.identifier,
            fileExtension: options.forcedExtension)
    }

    var originalTierKey: TierKey { TierKey(cacheKey: key, fileExtension: options.forcedExtension) }

    /// Answers with what a tier has of the image, or goes on.
    func askTiers(_ task: DownloadTask, otherwise: @escaping @Sendable () -> Void) {
        guard let tiers = request.tiers, !options.forceRefresh, !options.fromMemoryCacheOrRefresh else {
            return otherwise()
        }
        read(tiers, tierKey, originals: false) { [self] finding in
            guard isWanted else { return finish(.failure(notExisting)) }
            switch finding {
            case .hit(let entry)?: use(entry, task, otherwise: otherwise)
            case .stale(let entry, let leases)?:
                if !leases.isEmpty { renewAfterSuccess(with: leases) }
                use(entry, isStale: true, task, otherwise: otherwise)
            case .negative(let failure)?: finish(.failure(error(of: failure)))
            case .absent(let leases)?:
                self.leases = leases
                otherwise()
            case nil: otherwise()
            }
        }
    }

    /// Makes the image of an original that a tier has, or goes to the source.
    func askTiersForOriginal(_ task: DownloadTask) {
        guard let tiers = request.tiers, tiers.keepsOriginals, !options.forceRefresh,
            !options.fromMemoryCacheOrRefresh
        else { return load(task) }
        read(tiers, originalTierKey, originals: true) { [self] finding in
            guard isWanted else { return finish(.failure(notExisting)) }
            switch finding {
            case .hit(let entry)?, .stale(let entry, _)?:
                storeOnDisk(entry, in: request.originalCache, forComputedKey: key)
                use(Material(.data(entry.data), freshness: entry.freshness), task)
            case .negative(let failure)?: finish(.failure(error(of: failure)))
            // Nothing is written under this key with a lease: processed images are what is made.
            case .absent?, nil: load(task)
            }
        }
    }

    private func read(
        _ tiers: TierStack, _ key: TierKey, originals: Bool,
        receive: @escaping @Sendable (TierStack.Finding?) -> Void
    ) {
        let read = TierRead(
            stack: ObjectIdentifier(tiers), key: ExactText(key.text), originals: originals)
        share(request.targetCache.tierReads, read) { turn in
            switch turn {
            case .lead(let lead):
                let clock = request.targetCache.clock
                let work = Task { lead.land(await tiers.read(key, originals: originals, by: clock)) }
                lead.whenAbandoned {
                    work.cancel()
                    return nil
                }
            case .served(let finding): receive(finding)
            case .wait, .refused: break
            }
        } receive: {
            receive($0)
        }
    }

    /// Decodes a tier's file as one of the disk, which gets it too; a stale one is for this request alone.
    private func use(
        _ entry: TierEntry, isStale: Bool = false, _ task: DownloadTask,
        otherwise: @escaping @Sendable () -> Void
    ) {
        let cache = request.targetCache
        processing(.data(entry.data), isHeld: true) { [self] in
            guard isWanted else { return finish(.failure(notExisting)) }
            let decoded = options.decodingContext.run {
                options.cacheSerializer.image(with: entry.data, options: options)
            }
            if let decoded, let freshness = entry.freshness {
                cache.notes.note(freshness, of: decoded, forKey: computedKey)
            }
            guard let image = decoded.flatMap(finishStored), !options.isPartial(entry.data) else {
                return otherwise()
            }
            guard !isStale else { return finish(.success(cached(image, .disk))) }
            cache.notes.note(tags: entry.tags, of: image, forKey: computedKey)
            storeOnDisk(entry, in: cache, forComputedKey: computedKey)
            take(.picture(image), task)
        }
    }

    private func storeOnDisk(_ entry: TierEntry, in cache: ImageCache, forComputedKey key: String) {
        guard !options.cacheMemoryOnly, !cache.isSubclass else { return }
        let own = options.diskCacheExpiration ?? cache.diskStorage.config.expiration
        let endsSooner = entry.expiration < own.estimatedExpirationSince(cache.clock.now)
        cache.storeToDisk(
            entry.data, forComputedKey: key, forcedExtension: options.forcedExtension,
            expiration: endsSooner ? .date(entry.expiration) : own, freshness: entry.freshness,
            tags: entry.tags, completionHandler: nil)
    }

    /// Writes a file to the tiers, later; nil without tiers.
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

    /// Makes a new entry in the background, once the stale one was delivered.
    private func renewAfterSuccess(with leases: TierLeases) {
        guard let renewal = request.renewal(of: source, forcesRefresh: true) else { return }
        afterSuccess {
            renewal.leases = leases
            renewal.visitCaches()
            renewal.load(DownloadTask())
        }
    }

    private func error(of failure: TierFailure) -> KingfisherError {
        let seconds = failure.expiration.timeIntervalSince(request.targetCache.clock.now)
        return .resourceError(
            reason: .knownFailure(statusCode: failure.statusCode, retryAfter: max(seconds, 0)))
    }
}
