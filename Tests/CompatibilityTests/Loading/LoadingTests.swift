import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A model with an image URL.
private struct Article: Resource {
    let number: Int
    let downloadURL: URL
    var cacheKey: String { "article-\(number)" }
}

@Suite(.timeLimit(.minutes(1))) struct LoadingTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    @Test("A load with await comes from the network, then from memory")
    func awaits() async throws {
        let url = box.url("Photos/coffee.jpg")
        let fetched = try await box.manager.retrieveImage(with: url)
        #expect(fetched.image.size == CGSize(width: 512, height: 341))
        #expect(fetched.cacheType == .none && !fetched.cacheType.cached)
        #expect(fetched.source.url == url && fetched.originalSource.cacheKey == url.absoluteString)
        #expect(fetched.data() == (try Fixtures.data(named: "Photos/coffee.jpg")))

        let again = try await box.manager.retrieveImage(with: .network(url))
        #expect(again.cacheType == .memory && again.cacheType.cached && again.image === fetched.image)
        #expect(box.server.requestCount() == 1)
    }

    @Test("A load with a completion handler completes on the main queue with an explicit key")
    func callsBack() async throws {
        let main = MarkedQueue.main
        let resource = ImageResource(downloadURL: box.url("PNG/rgb8.png"), cacheKey: "cover")
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            box.manager.retrieveImage(with: resource, options: [.waitForCache]) { result in
                #expect(main.isCurrent)
                done(result)
            }
        }
        switch result {
        case .success(let value):
            #expect(value.image.size == CGSize(width: 33, height: 21) && value.source.cacheKey == "cover")
        case .failure(let error):
            Issue.record(error)
        }
        #expect(box.cache.isCached(forKey: "cover"))
        #expect(!box.cache.isCached(forKey: resource.downloadURL.cacheKey))
    }

    @Test("Progress reaches the size of the file")
    func progress() async throws {
        let (main, steps) = (MarkedQueue.main, Shared<[Int64]>([]))
        let size = Int64(try Fixtures.data(named: "Photos/hubble.jpg").count)
        _ = try await box.manager.retrieveImage(
            with: box.url("Photos/hubble.jpg"),
            progressBlock: { received, total in
                #expect(total == size && main.isCurrent)
                steps.change { $0.append(received) }
            })
        // The call does not wait for the main queue, where progress is reported; see docs/deviations.md.
        #expect(await poll { steps.value.last == size })
        #expect(steps.value == steps.value.sorted())
    }

    @Test("A load can be cancelled")
    func cancels() async throws {
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            let task = box.manager.retrieveImage(with: box.url("slow/PNG/rgb8.png"), completionHandler: done)
            task?.cancel()
        }
        #expect(throws: KingfisherError.self) { try result.get() }
        if case .failure(let error) = result {
            #expect(error.isTaskCancelled && !error.isNotCurrentTask)
        }
    }

    @Test("Cancelling a Swift task cancels its load")
    func cancelsWithItsTask() async throws {
        let (manager, url) = (box.manager, box.url("slow/PNG/rgb8.png"))
        let task = Task { try await manager.retrieveImage(with: url) }
        #expect(await box.server.wait { $0.requestCount("/slow/PNG/rgb8.png") == 1 })
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(!box.cache.isCached(forKey: url.cacheKey))
    }

    @Test("A failed load uses alternative sources and reports which one")
    func alternatives() async throws {
        let (missing, small) = (box.url("missing.png"), box.url("PNG/rgb8.png"))
        let updates = Shared<[URL?]>([])
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            box.manager.retrieveImage(
                with: .network(missing),
                options: [.alternativeSources([.network(box.url("gone.png")), .network(small)])],
                downloadTaskUpdated: { task in updates.change { $0.append(task?.sessionTask?.originalURL) } },
                completionHandler: done)
        }
        let value = try result.get()
        #expect(value.source == .network(small) && value.originalSource == .network(missing))
        #expect(updates.value.last == small && updates.value.count == 2)
    }

    @Test("If all sources fail, all errors are reported")
    func exhausted() async throws {
        let sources = ["a.png", "b.png", "c.png"].map { Source.network(box.url($0)) }
        let error = await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: sources[0], options: [.alternativeSources(Array(sources[1...]))])
        }
        guard case .imageSettingError(reason: .alternativeSourcesExhausted(let errors))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(errors.map(\.source) == sources)
        #expect(errors.allSatisfy { $0.error.isInvalidResponseStatusCode(404) })
    }

    @Test("A manager has default options that a call overrides")
    func defaults() async throws {
        box.manager.defaultOptions = [.scaleFactor(2), .cacheMemoryOnly]
        let url = box.url("Photos/badge.png")
        let value = try await box.manager.retrieveImage(with: url)
        #expect(value.image.scale == 2 && value.image.size == CGSize(width: 128, height: 128))
        box.cache.clearMemoryCache()
        let other = try await box.manager.retrieveImage(with: url, options: [.scaleFactor(4)])
        #expect(other.cacheType == .none && other.image.size == CGSize(width: 64, height: 64))
    }

    @Test("A model that is a resource can be loaded")
    func model() async throws {
        let article = Article(number: 7, downloadURL: box.url("PNG/rgb8.png"))
        let value = try await box.manager.retrieveImage(with: article)
        #expect(value.source.cacheKey == "article-7" && value.source.url == article.downloadURL)
        #expect(box.cache.imageCachedType(forKey: article.cacheKey).cached)
    }

    @Test("The shared manager uses the default cache and downloader")
    func shared() {
        #expect(KingfisherManager.shared.cache === ImageCache.default)
        #expect(KingfisherManager.shared.downloader === ImageDownloader.default)
        #expect(KingfisherManager.shared.defaultOptions.isEmpty)
    }

    @Test("A mock service can make results")
    func mock() throws {
        let image = try #require(KFCrossPlatformImage(data: try Fixtures.data(named: "PNG/rgb8.png")))
        let source = Source.provider(RawImageDataProvider(data: Data(), cacheKey: "mock"))
        let result = RetrieveImageResult(
            image: image, cacheType: .disk, source: source, originalSource: source, data: { nil })
        #expect(result.cacheType.cached && result.metrics == nil && result.source.url == nil)
        let loading = ImageLoadingResult(image: image, originalData: Data([1]))
        #expect(loading.url == nil && loading.originalData.count == 1)
    }
}
