import Foundation
import KingfisherConcurrency
import KingfisherStorage

/// The disk of a cache as a tier, such as a folder on a file server.
///
/// It grants no leases and has no negative entries. Reads and writes run on the cache's queues, in order for
/// each key. A read counts as an access and renews the expiration, like other reads of the cache.
public struct DiskTier: CacheTier {
    /// The name of the tier in events.
    public let name: String
    /// Whether the tier stores originals in addition to processed images.
    public let keepsOriginals: Bool
    /// How long callers wait for each operation.
    public let deadlines: TierDeadlines
    private let cache: ImageCache

    /// Makes a tier of the disk of `cache`; the memory of `cache` is not used.
    ///
    /// - Parameters:
    ///   - cache: A cache with its own folder. Its expiration and size limit apply.
    ///   - name: The name of the tier in events.
    ///   - keepsOriginals: Whether originals are stored in addition to processed images.
    ///   - deadlines: How long callers wait; by default 2 s to read and 30 s to write, because file servers
    ///     are slow.
    public init(
        _ cache: ImageCache, name: String = "disk", keepsOriginals: Bool = false,
        deadlines: TierDeadlines = TierDeadlines(read: .seconds(2), write: .seconds(30))
    ) {
        self.cache = cache
        self.name = name
        self.keepsOriginals = keepsOriginals
        self.deadlines = deadlines
    }

    /// Reads a file. Throws `unavailable` if it cannot be read; a missing, expired or corrupt one is absent.
    public func read(_ key: TierKey) async throws(TierError) -> TierReading {
        let found = await run(key) { cache, computedKey in
            Result {
                try cache.diskStorage.entry(
                    forKey: computedKey, forcedExtension: key.fileExtension, extendingExpiration: .cacheTime)
            }
        }
        switch found {
        case .failure(let error): throw .unavailable(error)
        case .success(nil): return .absent(nil)
        // Stored by a manager of which this is the cache.
        case .success(let entry?) where entry.records.arePrivate: return .absent(nil)
        case .success(let entry?):
            // The disk checks expirations, and the read has renewed this one.
            let now = cache.clock.now
            return .hit(
                TierEntry(
                    data: entry.payload, mediaType: ImageCodecs.codec(for: entry.payload)?.mediaType,
                    created: entry.storedAt ?? now,
                    expiration: cache.diskStorage.config.expiration.estimatedExpirationSince(now),
                    validators: TierEntry.validators(HTTPFreshness(entry.records)), tags: entry.tags))
        }
    }

    /// Stores an entry with its expiration and tags. The lease is ignored. Throws `unavailable` if the file
    /// cannot be written.
    public func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {
        let result = await withCheckedContinuation { continuation in
            cache.storeToDisk(
                entry.data, forComputedKey: computed(key), forcedExtension: key.fileExtension,
                expiration: entry.expiration == .distantFuture ? .never : .date(entry.expiration),
                freshness: entry.freshness, tags: entry.tags
            ) { continuation.resume(returning: $0.diskCacheResult) }
        }
        if case .failure(let error) = result { throw .unavailable(error) }
    }

    /// Removes a file. Throws `unavailable` if that fails.
    public func remove(_ key: TierKey) async throws(TierError) {
        let result = await withCheckedContinuation { continuation in
            cache.remove(
                forComputedKey: computed(key), forcedExtension: key.fileExtension, fromMemory: true,
                fromDisk: true, callbackQueue: .untouch
            ) { continuation.resume(returning: $0) }
        }
        if case .failure(let error) = result { throw .unavailable(error) }
    }

    /// Does nothing, because the tier grants no leases.
    public func release(_ lease: TierLease, for key: TierKey) async {}

    private func computed(_ key: TierKey) -> String {
        key.cacheKey.computedKey(with: key.processorIdentifier)
    }

    private func run<Value: Sendable>(
        _ key: TierKey, _ work: @escaping @Sendable (ImageCache, String) -> Value
    ) async -> Value {
        let computedKey = computed(key)
        return await withCheckedContinuation { continuation in
            cache.diskQueue.run(key: computedKey) { continuation.resume(returning: work(cache, computedKey)) }
        }
    }
}
