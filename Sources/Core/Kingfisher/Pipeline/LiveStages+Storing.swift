import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

/// Storing new images: in the caches, and through their write queues in the tiers.
extension LiveStages {
    func mayStore(_ new: NewImage) -> Bool {
        // Requests without `acceptsPartialImages` must not find a partial image in a cache.
        if let original = new.original, options.isPartial(original) { return false }
        guard !wasRemoved else { return false }
        guard let freshness = new.freshness, !options.bounded(freshness).isStorable else { return true }
        removeStored()
        return false
    }

    nonisolated(nonsending) func store(_ new: NewImage, replacesOriginal: Bool) async {
        guard options.waitForCache else { return store(new, replacesOriginal: replacesOriginal) {} }
        // An error means that the request was cancelled, which has been reported.
        _ = try? await request.wait { [self] (resume: Resume<Bool>) in
            store(new, replacesOriginal: replacesOriginal) { resume(true) }
        }
    }

    private func store(
        _ new: NewImage, replacesOriginal: Bool, completion: @escaping @Sendable () -> Void
    ) {
        let keepsOriginal = options.cacheOriginalImage || replacesOriginal && !options.cacheMemoryOnly
        let original = new.isFetched && keepsOriginal && hasProcessor ? new.original : nil
        // One of them is this method: a request must not end before the old image has left memory.
        let writes = Locked(original == nil ? 2 : 3)
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
        // Memory would be read before the new file. If no file is written, the old one stays, and the next
        // request revalidates it.
        if replacesOriginal { request.originalCache.memoryStorage.remove(forKey: key) }
        if let original { store(original: original, of: new, completion: note) }
        // The removal has begun in the meantime, and may have missed them.
        if wasRemoved { removeStored() }
        note()
    }

    private func store(image new: NewImage, completion: @escaping @Sendable () -> Void) {
        var unqueued = options
        let tierWrite = new.isPrivate ? nil : tierWrite(tierKey, leases)
        unqueued.change { values in
            values.callbackQueue = .untouch
            values.handover.file.observer = tierWrite
        }
        // A serializer that stores originals has its images processed after reading, so it must not get a
        // processed image.
        let isStorable = new.original != nil || !hasProcessor || !options.cacheSerializer.originalDataUsed
        // Before the store, because a request that finds the image in memory reads this. Without
        // `httpCaching`, a shared download must not erase the freshness that another request has noted.
        if let freshness = new.freshness {
            request.targetCache.notes.note(freshness, of: new.image, forKey: computedKey)
        }
        if new.isPrivate { request.targetCache.notes.notePrivate(new.image, forKey: computedKey) }
        request.targetCache.store(
            new.image, original: new.original, forKey: key, options: unqueued,
            toDisk: isStorable && !options.cacheMemoryOnly
        ) { _ in completion() }
    }

    private func store(
        original data: Data, of new: NewImage, completion: @escaping @Sendable () -> Void
    ) {
        let (cache, freshness) = (request.originalCache, new.freshness)
        if !new.isPrivate, request.tiers?.keepsOriginals == true, !options.cacheMemoryOnly {
            tierWrite(originalTierKey, nil, originals: true)?(
                EncodedImage(data: data, freshness: freshness, tags: options.tags))
        }
        // Uses the method that a subclass may override, unless that lacks a parameter.
        let isResponse = freshness.map { $0.fileVersion == nil } ?? false
        guard !cache.isSubclass || isResponse || !options.tags.isEmpty || new.isPrivate else {
            return HandedVersion.hand(freshness, forComputedKey: key) {
                cache.storeToDisk(
                    data, forKey: key, forcedExtension: options.forcedExtension,
                    expiration: options.diskCacheExpiration
                ) { _ in completion() }
            }
        }
        cache.storeToDisk(
            data, forComputedKey: key, forcedExtension: options.forcedExtension,
            expiration: options.diskCacheExpiration, freshness: freshness, tags: options.tags,
            isPrivate: new.isPrivate
        ) { _ in completion() }
    }

    func removeStored() {
        for (cache, key) in cacheLocations {
            cache.remove(
                forComputedKey: key, forcedExtension: options.forcedExtension, fromMemory: true,
                fromDisk: true, callbackQueue: .untouch
            ) { _ in }
        }
    }
}
