import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

/// Storing new images, in the caches at once and in tiers later.
extension SourceStages {
    func mayStore(_ new: NewImage) -> Bool {
        // A request that does not ask for an image with rows missing must not find it in a cache.
        if let original = new.original, options.isPartial(original) { return false }
        guard let freshness = new.freshness, !freshness.isStorable else { return true }
        removeStored()
        return false
    }

    nonisolated(nonsending) func store(_ new: NewImage, replacesOriginal: Bool) async {
        guard options.waitForCache else { return store(new, replacesOriginal: replacesOriginal) {} }
        // A cancellation has been reported by then.
        _ = try? await request.wait { [self] (resume: Resume<Bool>) in
            store(new, replacesOriginal: replacesOriginal) { resume(true) }
        }
    }

    /// Stores an image and its original, and calls `completion` when both are on disk, or need not be.
    private func store(
        _ new: NewImage, replacesOriginal: Bool, completion: @escaping @Sendable () -> Void
    ) {
        let keepsOriginal = options.cacheOriginalImage || replacesOriginal && !options.cacheMemoryOnly
        let original = new.isFetched && keepsOriginal && hasProcessor ? new.original : nil
        let writes = Locked(original == nil ? 1 : 2)
        let note: @Sendable () -> Void = { [ticket = new.ticket] in
            withExtendedLifetime(ticket) {
                let isLast = writes.withLock { writes in
                    writes -= 1
                    return writes == 0
                }
                if isLast { completion() }
            }
        }
        store(image: new, completion: note)
        // What memory has of the old one would be found before the file. Where nothing is to be written, the
        // old file stays, and is asked about by whoever finds it.
        if replacesOriginal { request.originalCache.memoryStorage.remove(forKey: key) }
        if let original { store(original: original, new.freshness, completion: note) }
    }

    private func store(image new: NewImage, completion: @escaping @Sendable () -> Void) {
        var unqueued = options
        let tierWrite = tierWrite(tierKey, leases)
        unqueued.change { groups in
            groups.delivery.callbackQueue = .untouch
            groups.cache.fileObserver = tierWrite
        }
        // What a serializer of originals gives back is processed again, and must not be so already.
        let isStorable = new.original != nil || !hasProcessor || !options.cacheSerializer.originalDataUsed
        // First: who finds the image in memory asks for this. A download that is shared with those who do not
        // ask for it must not take away what is known.
        if let freshness = new.freshness {
            request.targetCache.notes.note(freshness, of: new.image, forKey: computedKey)
        }
        request.targetCache.store(
            new.image, original: new.original, forKey: key, options: unqueued,
            toDisk: isStorable && !options.cacheMemoryOnly
        ) { _ in completion() }
    }

    private func store(
        original data: Data, _ freshness: HTTPFreshness?, completion: @escaping @Sendable () -> Void
    ) {
        let cache = request.originalCache
        if request.tiers?.keepsOriginals == true, !options.cacheMemoryOnly {
            tierWrite(originalTierKey, nil, originals: true)?(
                EncodedImage(data: data, freshness: freshness, tags: options.tags))
        }
        // By the method that a subclass may override, where that can say all.
        guard !cache.isSubclass || freshness != nil || !options.tags.isEmpty else {
            return cache.storeToDisk(
                data, forKey: key, forcedExtension: options.forcedExtension,
                expiration: options.diskCacheExpiration
            ) { _ in completion() }
        }
        cache.storeToDisk(
            data, forComputedKey: key, forcedExtension: options.forcedExtension,
            expiration: options.diskCacheExpiration, freshness: freshness, tags: options.tags
        ) { _ in completion() }
    }

    /// Has both caches forget an image that is no more, or was not to be kept.
    func removeStored() {
        for (cache, key) in places {
            cache.remove(
                forComputedKey: key, forcedExtension: options.forcedExtension, fromMemory: true,
                fromDisk: true, callbackQueue: .untouch
            ) { _ in }
        }
    }
}
