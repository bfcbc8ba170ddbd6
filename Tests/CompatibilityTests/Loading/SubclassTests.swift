import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// Records the calls of a manager, and can report that nothing is cached.
private final class WatchedCache: ImageCache, @unchecked Sendable {
    let calls = Shared<[String]>([])
    let isHidden = Shared(false)

    private func note(_ call: String) { calls.change { $0.append(call) } }

    /// The calls since the last read.
    func takeCalls() -> [String] {
        calls.change { calls in
            defer { calls = [] }
            return calls
        }
    }

    override func imageCachedType(
        forKey key: String, processorIdentifier identifier: String = "", forcedExtension: String? = nil
    ) -> CacheType {
        isHidden.value
            ? .none
            : super.imageCachedType(
                forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension)
    }

    override func retrieveImage(
        forKey key: String, options: KingfisherParsedOptionsInfo,
        callbackQueue: CallbackQueue = .mainCurrentOrAsync,
        completionHandler: (@Sendable (Result<ImageCacheResult, KingfisherError>) -> Void)?
    ) {
        note("retrieve \(options.processor.identifier.isEmpty ? "original" : "processed")")
        super.retrieveImage(
            forKey: key, options: options, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }

    override func store(
        _ image: KFCrossPlatformImage, original: Data? = nil, forKey key: String,
        options: KingfisherParsedOptionsInfo, toDisk: Bool = true,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        note("store")
        super.store(
            image, original: original, forKey: key, options: options, toDisk: toDisk,
            completionHandler: completionHandler)
    }

    override func storeToDisk(
        _ data: Data, forKey key: String, processorIdentifier identifier: String = "",
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
        callbackQueue: CallbackQueue = .untouch,
        completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
    ) {
        note("store original")
        super.storeToDisk(
            data, forKey: key, processorIdentifier: identifier, forcedExtension: forcedExtension,
            expiration: expiration, callbackQueue: callbackQueue, completionHandler: completionHandler)
    }
}

/// Loads every image from a different URL.
private final class MirrorDownloader: ImageDownloader, @unchecked Sendable {
    let mirror = Shared<URL?>(nil)
    /// Replaces this downloader, if set.
    let other = Shared<ImageDownloader?>(nil)
    let asked = Shared<[URL]>([])

    override func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        asked.change { $0.append(url) }
        let url = mirror.value ?? url
        if let other = other.value {
            return other.downloadImage(with: url, options: options, completionHandler: completionHandler)
        }
        return super.downloadImage(with: url, options: options, completionHandler: completionHandler)
    }

    override var downloadTimeout: TimeInterval {
        get { min(super.downloadTimeout, 5) }
        set { super.downloadTimeout = newValue }
    }
}

/// Subclasses of caches and downloaders.
@Suite(.timeLimit(.minutes(1))) struct SubclassTests {
    private let box: Sandbox
    private let cache: WatchedCache
    private let downloader = MirrorDownloader(name: "mirror")
    private let manager: KingfisherManager
    private let url: URL

    init() throws {
        box = try Sandbox()
        cache = try WatchedCache(name: "watched", cacheDirectoryURL: box.place("watched"))
        manager = KingfisherManager(downloader: downloader, cache: cache)
        url = box.url("PNG/rgb8.png")
    }

    @Test("A manager uses the overridden methods of a cache", .behaviours("M-30"))
    func ownCache() async throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 4, height: 4))
        let options: KingfisherOptionsInfo = [.waitForCache]
        #expect(try await manager.retrieveImage(with: url, options: options).cacheType == .none)
        #expect(cache.takeCalls() == ["store"])
        #expect(try await manager.retrieveImage(with: url, options: options).cacheType == .memory)
        #expect(cache.takeCalls() == ["retrieve original"])
        cache.clearMemoryCache()
        #expect(try await manager.retrieveImage(with: url, options: options).cacheType == .disk)
        #expect(cache.takeCalls() == ["retrieve original"])
        // A processed image is made of the original, and found later.
        let cropped = try await manager.retrieveImage(with: url, options: options + [.processor(crop)])
        #expect(cropped.cacheType == .none && cropped.image.size == CGSize(width: 4, height: 4))
        #expect(cache.takeCalls() == ["retrieve original", "store"])
        cache.clearMemoryCache()
        let again = try await manager.retrieveImage(with: url, options: options + [.processor(crop)])
        #expect(again.cacheType == .disk && again.image.size == CGSize(width: 4, height: 4))
        #expect(cache.takeCalls() == ["retrieve processed"])
        #expect(box.server.requestCount("/PNG/rgb8.png") == 1)
    }

    @Test(
        "A cache that reports no entry is not read, and originals use its methods",
        .behaviours("M-30"))
    func hidden() async throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 4, height: 4))
        cache.isHidden.change { $0 = true }
        for count in 1...2 {
            let result = try await manager.retrieveImage(
                with: url, options: [.processor(crop), .cacheOriginalImage, .waitForCache])
            #expect(result.cacheType == .none && box.server.requestCount("/PNG/rgb8.png") == count)
            #expect(cache.takeCalls() == ["store", "store original"])
        }
    }

    @Test("A memory hit of a subclass completes synchronously", .behaviours("M-2"))
    @MainActor func memoryHit() async throws {
        _ = try await manager.retrieveImage(with: url)
        var image: KFCrossPlatformImage?
        let answer = Shared<KFCrossPlatformImage?>(nil)
        let task = manager.retrieveImage(with: url) { result in
            answer.change { $0 = try? result.get().image }
        }
        image = answer.value
        #expect(image != nil && task == nil)
    }

    @Test("A manager uses the overridden method of a downloader", .behaviours("M-30"))
    func ownDownloader() async throws {
        downloader.mirror.change { $0 = box.url("JPEG/420.jpg") }
        var reports = 0
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            manager.retrieveImage(
                with: url, progressBlock: { _, _ in reports += 1 }, completionHandler: done)
        }
        #expect(try result.get().image.size == CGSize(width: 48, height: 36) && reports > 0)
        #expect(downloader.asked.value == [url] && box.server.requestCount("/PNG/rgb8.png") == 0)
        #expect(cache.isCached(forKey: url.cacheKey))
        downloader.downloadTimeout = 30
        #expect(downloader.downloadTimeout == 5)
    }

    @Test(
        "A task of another downloader can be cancelled", .behaviours("M-30"),
        arguments: [false, true])
    func cancelled(isForeign: Bool) async throws {
        if isForeign { downloader.other.change { $0 = box.downloader } }
        let slow = box.url("slow/PNG/rgb8.png")
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            let task = manager.retrieveImage(with: slow, completionHandler: done)
            Task {
                #expect(await box.server.wait { $0.requestCount("/slow/PNG/rgb8.png") == 1 })
                #expect(task?.isInitialized == true && task?.sessionTask?.originalURL == slow)
                task?.cancel()
            }
        }
        guard case .failure(let error) = result else {
            Issue.record("not cancelled")
            return
        }
        #expect(error.isTaskCancelled)
    }
}
