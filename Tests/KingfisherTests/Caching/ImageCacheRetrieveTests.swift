import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ImageCacheRetrieveTests {
    private let folder: TemporaryFolder
    private let clock: ManualClock
    private let cache: ImageCache

    init() throws { (folder, clock, cache) = try ImageCache.clocked() }

    private func retrieve(
        _ key: String, _ options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageCacheResult {
        try await cache.retrieveImage(forKey: key, options: options)
    }

    @Test(
        "On the main queue a memory hit completes before the call returns, with the identical image",
        .behaviours("C-4"))
    func memoryHitIsSynchronous() async throws {
        let image = try TestImages.image
        try await cache.store(image, forKey: "key", toDisk: false)
        let (count, isSame): (Int, Bool) = try await outcome { done in
            DispatchQueue.main.async { [cache] in
                let inbox = Inbox<ImageCacheResult?>()
                cache.retrieveImage(forKey: "key") { inbox.put(try? $0.get()) }
                done((inbox.count, inbox.values.first??.image === image))
            }
        }
        #expect(count == 1)
        #expect(isSame)
    }

    @Test("A miss is a success with type .none and no image", .behaviours("C-5"))
    func miss() async throws {
        let result: Result<ImageCacheResult, KingfisherError> = try await outcome {
            cache.retrieveImage(forKey: "nothing", completionHandler: $0)
        }
        #expect(try result.get().cacheType == .none)
        #expect(try result.get().image == nil)
        let onDisk: Result<Image?, KingfisherError> = try await outcome {
            cache.retrieveImageInDiskCache(forKey: "nothing", completionHandler: $0)
        }
        #expect(try onDisk.get() == nil)
    }

    @Test("A disk hit is in memory before its completion; the next read reports memory", .behaviours("C-6"))
    func diskHitPromotes() async throws {
        try await cache.store(TestImages.image, forKey: "key")
        cache.clearMemoryCache()
        let (type, isPromoted): (CacheType, Bool) = try await outcome { done in
            cache.retrieveImage(forKey: "key", callbackQueue: .untouch) { [cache] result in
                done(((try? result.get().cacheType) ?? .none, cache.memoryStorage.isCached(forKey: "key")))
            }
        }
        #expect(type == .disk)
        #expect(isPromoted)
        #expect(try await retrieve("key").cacheType == .memory)
    }

    @Test("A promoted image expires as the options specify", .behaviours("C-6"))
    func promotionExpiration() async throws {
        try await cache.store(TestImages.image, forKey: "key")
        cache.clearMemoryCache()
        #expect(try await retrieve("key", [.memoryCacheExpiration(.seconds(5))]).cacheType == .disk)
        clock.advance(by: 4)
        #expect(cache.memoryStorage.isCached(forKey: "key"))
        clock.advance(by: 2)
        #expect(!cache.memoryStorage.isCached(forKey: "key"))
    }

    @Test(
        "The cached type prefers memory, does not extend expiration, and is disk once memory expired",
        .behaviours("C-7", "C-8"))
    func typeAfterExpiry() async throws {
        var options = KingfisherParsedOptionsInfo([.memoryCacheExpiration(.seconds(0.5))])
        options.callbackQueue = .untouch
        try await cache.store(TestImages.image, forKey: "key", options: options)
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        clock.advance(by: 0.4)
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        clock.advance(by: 0.2)
        #expect(cache.imageCachedType(forKey: "key") == .disk)
        clock.advance(by: 7 * 86_400)
        #expect(cache.imageCachedType(forKey: "key") == .none)
    }

    @Test("A processed image and the unprocessed one are separate entries", .behaviours("C-9"))
    func processedEntries() async throws {
        let cropped = CroppingImageProcessor(size: CGSize(width: 4, height: 4))
        try await cache.store(TestImages.image, forKey: "key")
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        #expect(cache.imageCachedType(forKey: "key", processorIdentifier: cropped.identifier) == .none)
        #expect(try await retrieve("key", [.processor(cropped)]).cacheType == .none)

        try await cache.store(TestImages.image, forKey: "other", processorIdentifier: cropped.identifier)
        #expect(cache.imageCachedType(forKey: "other") == .none)
        #expect(cache.imageCachedType(forKey: "other@\(cropped.identifier)") == .memory)
        #expect(try await retrieve("other").cacheType == .none)
        #expect(try await retrieve("other", [.processor(cropped)]).cacheType == .memory)
    }

    @Test("The cache never calls the image modifier", .behaviours("C-10"))
    func modifierIsLeftAlone() async throws {
        let modifier = CountingModifier()
        let options: KingfisherOptionsInfo = [.imageModifier(modifier)]
        let image = try TestImages.image
        try await cache.store(image, forKey: "key", options: KingfisherParsedOptionsInfo(options))
        #expect(try await retrieve("key", options).image === image)
        cache.clearMemoryCache()
        #expect(try await retrieve("key", options).image?.renderingMode == .automatic)
        #expect(try await cache.retrieveImageInDiskCache(forKey: "key", options: options) != nil)
        #expect(modifier.calls == 0)
    }

    @Test("A forced extension changes only the file name", .behaviours("C-11"))
    func forcedExtension() async throws {
        try await cache.store(TestImages.image, forKey: "key", forcedExtension: "jpg")
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        #expect(cache.imageCachedType(forKey: "key", forcedExtension: "jpg") == .memory)
        cache.clearMemoryCache()
        #expect(cache.imageCachedType(forKey: "key") == .none)
        #expect(cache.imageCachedType(forKey: "key", forcedExtension: "jpg") == .disk)
        #expect(cache.cachePath(forKey: "key", forcedExtension: "jpg").hasSuffix(".jpg"))
        #expect(try await retrieve("key").cacheType == .none)
        #expect(try await retrieve("key", [.forcedCacheFileExtension("jpg")]).cacheType == .disk)
    }

    @Test("Access extending .none leaves the memory expiration; a given time moves it")
    func memoryAccessExtending() async throws {
        try await cache.store(TestImages.image, forKey: "key", toDisk: false)
        let stored = cache.memoryStorage.expiration(forKey: "key")
        clock.advance(by: 10)
        _ = try await retrieve("key", [.memoryCacheAccessExtendingExpiration(.none)])
        #expect(cache.memoryStorage.expiration(forKey: "key") == stored)
        _ = try await retrieve(
            "key", [.memoryCacheAccessExtendingExpiration(.expirationTime(.seconds(1_000)))])
        #expect(cache.memoryStorage.expiration(forKey: "key") == clock.now.addingTimeInterval(1_000))
    }

    @Test(
        "A memory hit completes inline; disk and miss complete off the main queue, or on it if requested",
        .behaviours("C-21"))
    func typeAsync() async throws {
        try await cache.store(TestImages.image, forKey: "key")
        let inline: [Bool] = try await outcome { done in
            DispatchQueue.main.async { [cache] in
                let inbox = Inbox<CacheType>()
                cache.imageCachedTypeAsync(forKey: "key", callbackQueue: .untouch) { inbox.put($0) }
                done(inbox.values.map { $0 == .memory })
            }
        }
        #expect(inline == [true])
        cache.clearMemoryCache()
        for (key, type) in [("key", CacheType.disk), ("nothing", .none)] {
            let untouched: (CacheType, Bool) = try await outcome { done in
                DispatchQueue.main.async { [cache] in
                    cache.imageCachedTypeAsync(forKey: key, callbackQueue: .untouch) {
                        done(($0, MainQueue.isCurrent))
                    }
                }
            }
            #expect(untouched == (type, false))
            let main: (CacheType, Bool) = try await outcome { done in
                cache.imageCachedTypeAsync(forKey: key, callbackQueue: .mainAsync) {
                    done(($0, MainQueue.isCurrent))
                }
            }
            #expect(main == (type, true))
            #expect(await cache.imageCachedTypeAsync(forKey: key) == type)
        }
    }
}
