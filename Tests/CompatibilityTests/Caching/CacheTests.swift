import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CacheTests {
    let box: Sandbox
    private let image: KFCrossPlatformImage
    private let bytes: Data
    private var cache: ImageCache { box.cache }

    init() throws {
        box = try Sandbox()
        bytes = try Fixtures.data(named: "PNG/rgb8.png")
        image = try #require(KFCrossPlatformImage(data: bytes))
    }

    @Test("An image stored with await is found")
    func awaits() async throws {
        try await cache.store(image, original: bytes, forKey: "one")
        #expect(cache.isCached(forKey: "one") && cache.imageCachedType(forKey: "one") == .memory)
        let hit = try await cache.retrieveImage(forKey: "one")
        guard case .memory(let found) = hit else {
            Issue.record("\(hit)")
            return
        }
        #expect(found === image && hit.image === image && hit.cacheType == .memory)
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImageInDiskCache(forKey: "one")?.size == image.size)
        #expect(try await cache.retrieveImage(forKey: "one").cacheType == .disk)
        #expect(try await cache.retrieveImage(forKey: "two").image == nil)
    }

    @Test("An image stored with completion handlers is found")
    func callsBack() async throws {
        let stored: CacheStoreResult = await answer { done in
            cache.store(image, original: bytes, forKey: "one", toDisk: true, completionHandler: done)
        }
        guard case .success = stored.diskCacheResult, case .success = stored.memoryCacheResult else {
            Issue.record("\(stored)")
            return
        }
        let hit: Result<ImageCacheResult, KingfisherError> = await answer { done in
            cache.retrieveImage(forKey: "one", completionHandler: done)
        }
        #expect(try hit.get().image === image)
        let onDisk: Result<KFCrossPlatformImage?, KingfisherError> = await answer { done in
            cache.retrieveImageInDiskCache(forKey: "one", callbackQueue: .mainAsync, completionHandler: done)
        }
        #expect(try onDisk.get()?.size == image.size)
        let type: CacheType = await answer { done in
            cache.imageCachedTypeAsync(forKey: "one", completionHandler: done)
        }
        #expect(type == .memory)
        #expect(await cache.imageCachedTypeAsync(forKey: "two") == .none)
    }

    @Test("An image is removed from memory, from disk, or from both")
    func removes() async throws {
        try await cache.store(image, forKey: "one")
        try await cache.removeImage(forKey: "one", fromDisk: false)
        #expect(cache.imageCachedType(forKey: "one") == .disk)
        await withCheckedContinuation { done in
            cache.removeImage(forKey: "one") { done.resume() }
        }
        #expect(cache.imageCachedType(forKey: "one") == .none && cache.memoryStorageCacheCost == 0)
    }

    @Test("Clearing a cache removes all images")
    func clears() async throws {
        try await cache.store(image, forKey: "one")
        try await cache.storeToDisk(bytes, forKey: "two")
        #expect(cache.imageCachedType(forKey: "two") == .disk)
        #expect(try await cache.diskStorageSize > 0)
        await cache.clearCache()
        #expect(!cache.isCached(forKey: "one") && !cache.isCached(forKey: "two"))
        let size: Result<UInt, KingfisherError> = await answer { done in
            cache.calculateDiskStorageSize(completion: done)
        }
        #expect(try size.get() == 0)
        await withCheckedContinuation { done in cache.clearDiskCache { done.resume() } }
        await cache.clearDiskCache()
    }

    @Test("A cache reports its size in memory and on disk")
    func sizes() async throws {
        try await cache.store(image, forKey: "one", toDisk: false)
        try await cache.storeToDisk(bytes, forKey: "one")
        #expect(cache.memoryStorageCacheCost == image.cacheCost && image.cacheCost >= 33 * 21 * 3)
        #expect(try await cache.diskStorageSize == UInt(bytes.count))
    }

    @Test("The file of a cached image is readable by other programs")
    func files() async throws {
        let identifier = BlurImageProcessor(blurRadius: 4).identifier
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        try await cache.store(
            image, original: bytes, forKey: "one", processorIdentifier: identifier,
            cacheSerializer: serializer)
        let path = cache.cachePath(forKey: "one", processorIdentifier: identifier)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        let url = try #require(cache.cacheFileURLIfOnDisk(forKey: "one", processorIdentifier: identifier))
        #expect(url.path == path)
        #expect(path.hasSuffix(cache.hash(forKey: "one", processorIdentifier: identifier)))
        #expect(cache.cacheFileURLIfOnDisk(forKey: "one") == nil)
        let folder = "com.onevcat.Kingfisher.ImageCache.compatibility"
        #expect(cache.diskStorage.directoryURL.lastPathComponent == folder)
    }

    @Test("The options of a load apply to a store")
    func parsedOptions() async throws {
        let options = KingfisherParsedOptionsInfo([
            .processor(BlackWhiteProcessor()), .memoryCacheExpiration(.expired),
        ])
        try await cache.store(image, original: bytes, forKey: "one", options: options)
        #expect(cache.imageCachedType(forKey: "one") == .none)
        let type = cache.imageCachedType(
            forKey: "one", processorIdentifier: "com.onevcat.Kingfisher.BlackWhiteProcessor")
        #expect(type == .disk)
        #expect(try await cache.retrieveImage(forKey: "one", options: options).cacheType == .disk)
        #expect(cache.retrieveImageInMemoryCache(forKey: "one", options: options) == nil)
        #expect(cache.retrieveImageInMemoryCache(forKey: "one") == nil)
    }

    @Test("Cleaning removes expired files and reports their names")
    func cleans() async throws {
        try await cache.store(image, forKey: "one")
        let file = cache.hash(forKey: "one")
        _ = try cache.diskStorage.value(
            forKey: "one", extendingExpiration: .expirationTime(.expired))
        let removed = Shared<[String]>([])
        let observer = NotificationCenter.default.addObserver(
            // Foundation of Swift 6.2.3 does not call observers of one object.
            forName: .KingfisherDidCleanDiskCache, object: nil, queue: nil
        ) { [cache] note in
            guard note.object as? ImageCache === cache else { return }
            let names = note.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String]
            removed.change { $0 += names ?? ["no names"] }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        await cache.cleanExpiredDiskCache()
        #expect(await poll { removed.value == [file] })
        #expect(cache.imageCachedType(forKey: "one") == .memory)
        cache.cleanExpiredMemoryCache()
        await cache.cleanExpiredCache()
        cache.backgroundCleanExpiredDiskCache()
        #expect(cache.isCached(forKey: "one"))
    }

    @Test("A cache uses the folder that was set")
    func folder() async throws {
        let root = box.place("elsewhere")
        let own = try ImageCache(name: "own", cacheDirectoryURL: root) { directory, name in
            directory.appendingPathComponent("images-of-\(name)")
        }
        let name = "images-of-com.onevcat.Kingfisher.ImageCache.own"
        let folder = own.diskStorage.directoryURL
        #expect(folder.standardizedFileURL.path == root.appendingPathComponent(name).path)
        try await own.store(image, forKey: "one")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == [own.hash(forKey: "one")])
    }

    @Test("A folder that cannot be created is an error with its path")
    func noFolder() throws {
        let file = box.place("file")
        try bytes.write(to: file)
        let error = #expect(throws: KingfisherError.self) {
            try ImageCache(name: "own", cacheDirectoryURL: file)
        }
        guard case .cacheError(reason: .cannotCreateDirectory(let path, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path.hasSuffix("com.onevcat.Kingfisher.ImageCache.own"))
    }

    @Test("The limits of a cache apply")
    func limits() async throws {
        cache.memoryStorage.config.totalCostLimit = 300 * 1024 * 1024
        cache.memoryStorage.config.countLimit = 2
        cache.memoryStorage.config.expiration = .seconds(600)
        cache.memoryStorage.config.cleanInterval = 30
        cache.memoryStorage.config.keepWhenEnteringBackground = true
        cache.diskStorage.config.sizeLimit = 1000 * 1024 * 1024
        cache.diskStorage.config.expiration = .never
        for key in ["one", "two", "three"] { try await cache.store(image, forKey: key) }
        let types = ["one", "two", "three"].map { cache.imageCachedType(forKey: $0) }
        #expect(types.filter { $0 == .memory }.count == 2 && types.filter { $0 == .disk }.count == 1)
    }
}
