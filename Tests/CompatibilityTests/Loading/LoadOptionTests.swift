import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Reads images from disk only after the call that wants them has returned.
private struct SlowSerializer: CacheSerializer {
    let mayGoOn: Shared<Bool>
    let originalDataUsed = false

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        let end = Date(timeIntervalSinceNow: 2)
        while !mayGoOn.value, Date() < end { usleep(500) }
        return mayGoOn.value ? DefaultCacheSerializer.default.image(with: data, options: options) : nil
    }
}

/// Options for the source, the callback queue and the timing of a load.
@Suite(.timeLimit(.minutes(1))) struct LoadOptionTests {
    let box: Sandbox
    private let url: URL

    init() throws {
        box = try Sandbox()
        url = box.url("PNG/rgb8.png")
    }

    private func load(_ options: KingfisherOptionsInfo = []) async throws -> RetrieveImageResult {
        try await box.manager.retrieveImage(with: url, options: options)
    }

    @Test("forceRefresh downloads a cached image")
    func forceRefresh() async throws {
        _ = try await load([.waitForCache])
        #expect(try await load([.forceRefresh]).cacheType == .none)
        #expect(box.server.requestCount() == 2)
    }

    @Test("fromMemoryCacheOrRefresh uses memory or the network, but not the disk")
    func memoryOrRefresh() async throws {
        _ = try await load([.waitForCache])
        #expect(try await load([.fromMemoryCacheOrRefresh]).cacheType == .memory)
        box.cache.clearMemoryCache()
        #expect(try await load([.fromMemoryCacheOrRefresh]).cacheType == .none)
    }

    @Test("With onlyFromCache a missing image is an error without a request")
    func onlyFromCache() async throws {
        let error = await #expect(throws: KingfisherError.self) { try await load([.onlyFromCache]) }
        guard case .cacheError(reason: .imageNotExisting(let key))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key == url.cacheKey && box.server.requestCount() == 0)
        _ = try await load()
        #expect(try await load([.onlyFromCache]).cacheType == .memory)
    }

    @Test("cacheMemoryOnly stores an image in memory only")
    func memoryOnly() async throws {
        _ = try await load([.cacheMemoryOnly, .waitForCache])
        #expect(box.cache.imageCachedType(forKey: url.cacheKey) == .memory)
        #expect(try await box.cache.diskStorageSize == 0)
    }

    @Test("With waitForCache the completion follows the store on disk")
    func waitForCache() async throws {
        _ = try await load([.waitForCache])
        box.cache.clearMemoryCache()
        #expect(box.cache.imageCachedType(forKey: url.cacheKey) == .disk)
        #expect(try await load().cacheType == .disk)
        #expect(try await load().cacheType == .memory)
    }

    @Test("A load can use another cache")
    func targetCache() async throws {
        let other = try box.anotherCache("avatars")
        _ = try await load([.targetCache(other)])
        #expect(other.isCached(forKey: url.cacheKey) && !box.cache.isCached(forKey: url.cacheKey))
    }

    @Test("Originals in a separate cache give other sizes without a request")
    func originals() async throws {
        let originals = try box.anotherCache("originals")
        let options: KingfisherOptionsInfo = [.originalCache(originals), .cacheOriginalImage, .waitForCache]
        let small = DownsamplingImageProcessor(size: CGSize(width: 11, height: 11))
        let tiny = DownsamplingImageProcessor(size: CGSize(width: 5, height: 5))
        #expect(try await load(options + [.processor(small)]).image.size.width == 11)
        #expect(try await load(options + [.processor(tiny)]).image.size.width == 5)
        #expect(box.server.requestCount() == 1)
        #expect(originals.isCached(forKey: url.cacheKey) && !box.cache.isCached(forKey: url.cacheKey))
        #expect(box.cache.isCached(forKey: url.cacheKey, processorIdentifier: tiny.identifier))
    }

    @Test("A load can use another downloader with its timeout and priority")
    func downloader() async throws {
        let downloader = ImageDownloader(name: "thumbnails")
        downloader.downloadTimeout = 5
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Purpose": "thumbnails"]
        downloader.sessionConfiguration = configuration
        let sizes = Shared<[CGSize]>([])
        let task = box.manager.retrieveImage(
            with: box.url("slow/PNG/rgb8.png"),
            options: [.downloader(downloader), .downloadPriority(0.9)]
        ) { result in
            if case .success(let value) = result { sizes.change { $0.append(value.image.size) } }
        }
        // The task is available once the disk lookup ends; see docs/deviations.md.
        #expect(await poll { task?.sessionTask?.task.priority == 0.9 })
        box.gate.release()
        #expect(await poll { sizes.value == [CGSize(width: 33, height: 21)] })
        #expect(box.server.requests.map { $0.header("X-Purpose") } == ["thumbnails"])
    }

    @Test("The callback queue and the processing queue can be set")
    func queues() async throws {
        let (callbacks, work) = (MarkedQueue(), MarkedQueue())
        struct Where: ImageProcessor {
            let identifier = "com.example.where"
            let queue: MarkedQueue
            func process(
                item: ImageProcessItem, options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? {
                #expect(queue.isCurrent)
                return DefaultImageProcessor.default.process(item: item, options: options)
            }
        }
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            box.manager.retrieveImage(
                with: url,
                options: [
                    .callbackQueue(.dispatch(callbacks.queue)), .processingQueue(.dispatch(work.queue)),
                    .processor(Where(queue: work)),
                ]
            ) { result in
                #expect(callbacks.isCurrent)
                done(result)
            }
        }
        #expect(try result.get().cacheType == .none)
    }

    @Test("An operation queue can be the callback queue")
    func operationQueue() async throws {
        let queue = OperationQueue()
        queue.underlyingQueue = MarkedQueue().queue
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            box.manager.retrieveImage(
                with: url, options: [.callbackQueue(.operationQueue(queue))]
            ) { result in
                #expect(OperationQueue.current === queue)
                done(result)
            }
        }
        #expect(try result.get().image.size.height == 21)
    }

    @Test("A scale factor gives the size in points, with background decoding")
    func scale() async throws {
        let value = try await load([.scaleFactor(3), .backgroundDecode])
        #expect(value.image.scale == 3 && value.image.size == CGSize(width: 11, height: 7))
    }

    @Test("loadDiskFileSynchronously loads from disk synchronously")
    func synchronously() async throws {
        _ = try await load([.waitForCache])
        box.cache.clearMemoryCache()
        let answers = Shared<[CacheType]>([])
        let options: KingfisherOptionsInfo = [.loadDiskFileSynchronously, .callbackQueue(.untouch)]
        box.cache.retrieveImage(forKey: url.cacheKey, options: options, callbackQueue: .untouch) { result in
            if case .success(let value) = result { answers.change { $0.append(value.cacheType) } }
        }
        #expect(answers.value == [.disk])
    }

    @Test("The asynchronous cache check does not block the caller")
    func asyncCheck() async throws {
        for expected in [CacheType.none, .memory] {
            #expect(try await load([.asyncCacheTypeCheck, .waitForCache]).cacheType == expected)
        }
        box.cache.clearMemoryCache()
        let hasReturned = Shared(false)
        let options: KingfisherOptionsInfo = [
            .asyncCacheTypeCheck, .loadDiskFileSynchronously,
            .cacheSerializer(SlowSerializer(mayGoOn: hasReturned)),
        ]
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            let task = box.manager.retrieveImage(with: url, options: options, completionHandler: done)
            #expect(task != nil)
            hasReturned.change { $0 = true }
        }
        #expect(try result.get().cacheType == .disk)
    }

    @Test("A low-data source replaces the image on metered networks")
    func lowDataMode() async throws {
        let small = Source.network(box.url("JPEG/8x8.jpg"))
        let value = try await load([.lowDataMode(small)])
        // On any network the result is one of the two sources and names it.
        #expect(value.image.size.width == (value.source == small ? 8 : 33))
        #expect(value.originalSource.url == url)
    }
}
