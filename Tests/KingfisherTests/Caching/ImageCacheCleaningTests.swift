import Foundation
import Kingfisher
import KingfisherStorage
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ImageCacheCleaningTests {
    private let folder: TemporaryFolder
    private let clock: ManualClock
    private let cache: ImageCache

    init() throws { (folder, clock, cache) = try ImageCache.clocked() }

    private var directory: URL { cache.diskStorage.directoryURL }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
    }

    private func storeOnDisk(_ key: String, _ expiration: StorageExpiration) async throws {
        try await cache.storeToDisk(try TestImages.png, forKey: key, expiration: expiration)
    }

    @Test("Clearing the disk leaves an empty folder and calls back on the main queue", .behaviours("C-12"))
    func clearDisk() async throws {
        try await storeOnDisk("key", .never)
        let onMain: Bool = try await outcome { done in
            cache.clearDiskCache { done(MainQueue.isCurrent) }
        }
        #expect(onMain)
        #expect(try files.isEmpty)
        #expect(cache.imageCachedType(forKey: "key") == .none)
    }

    @Test("Clearing a missing folder is not an error and creates it", .behaviours("C-12"))
    func clearMissingFolder() async throws {
        try FileManager.default.removeItem(at: directory)
        await cache.clearDiskCache()
        #expect(try files.isEmpty)
    }

    @Test("Clearing both tiers empties memory immediately")
    func clearBoth() async throws {
        try await cache.store(TestImages.image, forKey: "key")
        let inbox = Inbox<Void>()
        cache.clearCache { inbox.put() }
        #expect(!cache.memoryStorage.isCached(forKey: "key"))
        _ = try await inbox.first(1)
        #expect(cache.imageCachedType(forKey: "key") == .none)
    }

    @Test(
        "A folder deleted externally means misses and size 0; the next store creates it again",
        .behaviours("C-13"))
    func folderDeletedExternally() async throws {
        try await storeOnDisk("key", .never)
        try FileManager.default.removeItem(at: directory)
        #expect(cache.imageCachedType(forKey: "key") == .none)
        #expect(try await cache.retrieveImage(forKey: "key").cacheType == .none)
        #expect(try await cache.diskStorageSize == 0)
        try await cache.store(TestImages.image, forKey: "again")
        #expect(cache.diskStorage.isCached(forKey: "again"))
    }

    @Test(
        "Cleaning posts the removed file names on the main thread, with the cache as object",
        .behaviours("C-16"))
    func cleanedNotification() async throws {
        try await storeOnDisk("old", .seconds(10))
        try await storeOnDisk("new", .days(1))
        let posts = PostedNotifications(of: cache)
        clock.advance(by: 11)
        let onMain: Bool = try await outcome { done in
            cache.cleanExpiredDiskCache { done(MainQueue.isCurrent) }
        }
        #expect(onMain)
        let post = try await posts.inbox.first()
        #expect(post.onMain)
        #expect(post.hashes == [cache.hash(forKey: "old")])
        #expect(try files == [cache.hash(forKey: "new")])
        #expect(
            Notification.Name.KingfisherDidCleanDiskCache.rawValue
                == "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache")
        #expect(KingfisherDiskCacheCleanedHashKey == "com.onevcat.Kingfisher.cleanedHash")
    }

    @Test("Cleaning that removes nothing, and explicit clearing, post no notification", .behaviours("C-16"))
    func nothingToPost() async throws {
        try await storeOnDisk("new", .days(1))
        let posts = PostedNotifications(of: cache)
        await cache.cleanExpiredDiskCache()
        await cache.clearDiskCache()
        await passMainQueue()
        #expect(posts.inbox.count == 0)
    }

    @Test("Cleaning also removes expired images from memory")
    func cleanExpired() async throws {
        try await cache.store(TestImages.image, forKey: "key", toDisk: false)
        clock.advance(by: 301)
        #expect(cache.memoryStorageCacheCost > 0)
        await cache.cleanExpiredCache()
        #expect(cache.memoryStorageCacheCost == 0)
    }

    @Test("Removal takes effect immediately in memory, and on disk when it completes", .behaviours("C-24"))
    func removal() async throws {
        try await cache.store(TestImages.image, forKey: "key")
        let inbox = Inbox<Void>()
        cache.removeImage(forKey: "key") { inbox.put() }
        #expect(!cache.memoryStorage.isCached(forKey: "key"))
        _ = try await inbox.first(1)
        #expect(try files.isEmpty)
    }

    @Test("Removal can be limited to memory or disk", .behaviours("C-24"))
    func partialRemoval() async throws {
        try await cache.store(TestImages.image, forKey: "key")
        try await cache.removeImage(forKey: "key", fromDisk: false)
        #expect(cache.imageCachedType(forKey: "key") == .disk)
        try await cache.store(TestImages.image, forKey: "key")
        try await cache.removeImage(forKey: "key", fromMemory: false)
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        #expect(try files.isEmpty)
    }

    @Test("Removal honours the processor identifier and the extension", .behaviours("C-24"))
    func removalOfProcessed() async throws {
        try await cache.store(
            TestImages.image, forKey: "key", processorIdentifier: "p", forcedExtension: "png")
        try await cache.removeImage(forKey: "key")
        #expect(try files.count == 1)
        try await cache.removeImage(forKey: "key", processorIdentifier: "p", forcedExtension: "png")
        #expect(try files.isEmpty)
    }

    @Test("The callback version ignores an error, the async version throws it", .behaviours("C-24"))
    func removalFails() async throws {
        let failing = FileSystem { call, _ in call == .unlink ? EIO : 0 }
        let cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(
                config: DiskStorage.Config(name: "failing", sizeLimit: 0, directory: folder.url),
                fileSystem: failing, clock: clock))
        try await cache.storeToDisk(TestImages.png, forKey: "key")
        let inbox = Inbox<Void>()
        cache.removeImage(forKey: "key") { inbox.put() }
        _ = try await inbox.first(1)
        await #expect(throws: (any Error).self) { try await cache.removeImage(forKey: "key") }
        #expect(cache.diskStorage.isCached(forKey: "key"))
    }

    @Test("A cache whose folder cannot be created still works in memory", .behaviours("C-31"))
    func notReady() async throws {
        // The caches folder belongs to the user; a file in place of this cache's folder makes it unusable.
        let name = "kingfisher-tests-\(UUID().uuidString)"
        let caches = try FileManager.default.url(
            for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        let place = caches.appending(path: "com.onevcat.Kingfisher.ImageCache.\(name)")
        try Data([1]).write(to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let cache = ImageCache(name: name)
        let image = try TestImages.image
        let result: CacheStoreResult = try await outcome {
            cache.store(image, forKey: "key", completionHandler: $0)
        }
        #expect(reason(result.diskCacheResult) == "diskStorageIsNotReady")
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        #expect(!cache.diskStorage.isCached(forKey: "key"))
    }
}

/// The notifications that one cache posts.
///
/// Unchecked: Foundation's token is not declared sendable; it is only passed back to Foundation.
private final class PostedNotifications: @unchecked Sendable {
    let inbox: Inbox<(onMain: Bool, hashes: [String])>
    private let token: any NSObjectProtocol

    init(of cache: ImageCache) {
        let inbox = Inbox<(onMain: Bool, hashes: [String])>()
        self.inbox = inbox
        token = NotificationCenter.default.addObserver(
            // Foundation of Swift 6.2.3 does not call observers of one object.
            forName: .KingfisherDidCleanDiskCache, object: nil, queue: nil
        ) { [weak cache] note in
            guard note.object as? ImageCache === cache else { return }
            let hashes = note.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String]
            inbox.put((MainQueue.isCurrent, hashes ?? ["no names"]))
        }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}
