@testable import Kingfisher
import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct LivePhotoTests {
    private static let heic = Data([0, 0, 0, 24]) + Data("ftypheic, and no image of it".utf8)
    private static let mov = Data([0, 0, 0, 20]) + Data("ftypqt  , and no film of it".utf8)
    private static let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

    /// Serves the film, the image, or 404, by the last path component.
    private func bench() throws -> Bench {
        try Bench { request in
            switch request.url?.lastPathComponent {
            case let name? where name.contains("missing"): StubAnswer(status: 404)
            case let name? where name.contains("film"): .ok(Self.mov)
            default: .ok(Self.heic)
            }
        }
    }

    private func url(_ name: String) throws -> URL {
        try #require(URL(string: "http://stub.invalid/\(name)"))
    }

    private func source(_ names: String...) throws -> LivePhotoSource {
        LivePhotoSource(urls: try names.map(url))
    }

    private func retrieval(_ bench: Bench, _ options: KingfisherOptionsInfo = []) -> LivePhotoRetrieval {
        LivePhotoRetrieval(
            options: KingfisherParsedOptionsInfo(options), cache: bench.cache, downloader: bench.downloader,
            readsFileURLs: true)
    }

    private func store(_ bench: Bench, _ key: String, extension: String?) async throws {
        try await bench.cache.storeToDisk(
            Self.heic, forKey: key, processorIdentifier: Self.identifier, forcedExtension: `extension`)
    }

    @Test("A file is looked up by the extension of its type", .behaviours("L-2"))
    func lookup() async throws {
        let bench = try bench()
        func isFound(_ type: LivePhotoResource.FileType) async throws -> Bool {
            let resource = LivePhotoResource(downloadURL: try url("x"), cacheKey: "key", fileType: type)
            return await bench.cache.file(of: resource) != nil
        }
        let types: [LivePhotoResource.FileType] = [.heic, .mov, .other("jpg"), .other("")]
        let table: [(String?, [LivePhotoResource.FileType])] = [
            (nil, []), ("jpg", [.other("jpg")]), ("mov", [.mov, .other("")]), ("heic", [.heic, .other("")]),
        ]
        for (stored, finders) in table {
            try await store(bench, "key", extension: stored)
            for type in types {
                #expect(try await isFound(type) == finders.contains(type), "\(stored ?? "bare") \(type)")
            }
            try await bench.cache.removeImage(
                forKey: "key", processorIdentifier: Self.identifier, forcedExtension: stored)
        }
    }

    @Test("Without a type the image is found before the film", .behaviours("L-2"))
    func imageFirst() async throws {
        let bench = try bench()
        for name in ["mov", "heic"] { try await store(bench, "key", extension: name) }
        let resource = LivePhotoResource(downloadURL: try url("x"), cacheKey: "key")
        #expect(await bench.cache.file(of: resource)?.pathExtension == "heic")
    }

    @Test(
        "Files that are not on disk are missing, in order; with forceRefresh all are missing",
        .behaviours("L-3"))
    func missing() async throws {
        let bench = try bench()
        let source = try source("a.heic", "b.mov", "c.heic")
        try await store(bench, try url("b.mov").cacheKey, extension: "mov")
        let keys = await retrieval(bench).missingResources(of: source).map(
            \.dataSource.url?.lastPathComponent)
        #expect(keys == ["a.heic", "c.heic"])
        #expect(await retrieval(bench, [.forceRefresh]).missingResources(of: source).count == 3)
    }

    @Test(
        "Files are loaded once, stored under the live photo's identifier, and returned in order",
        .behaviours("L-4"))
    func retrieves() async throws {
        let bench = try bench()
        let source = try source("image.heic", "film.mov")
        let first = try await bench.manager.retrieveLivePhoto(with: source)
        #expect(first.cacheType == .none)
        #expect(first.data() == [Self.heic, Self.mov])
        #expect(first.fileURLs.map(\.pathExtension) == ["heic", "mov"])
        #expect(try first.fileURLs.map { try Data(contentsOf: $0) } == [Self.heic, Self.mov])
        let paths = zip(source.resources, ["heic", "mov"]).map { resource, name in
            bench.cache.cachePath(
                forKey: resource.dataSource.cacheKey, processorIdentifier: Self.identifier,
                forcedExtension: name)
        }
        #expect(first.fileURLs.map(\.path) == paths)
        #expect(first.source.resources.count == 2 && first.originalSource.resources.count == 2)
        #expect(bench.cache.memoryStorageCacheCost == 0)
        #expect(bench.filesOnDisk.count == 2)

        let second = try await bench.manager.retrieveLivePhoto(with: source)
        #expect(second.cacheType == .disk)
        #expect(second.data() == [])
        #expect(second.fileURLs == first.fileURLs)
        #expect(bench.stub.requests.count == 2)
        #expect(bench.cache.memoryStorageCacheCost == 0)
    }

    @Test("Only missing files are loaded, and the photo then counts as fresh", .behaviours("L-4"))
    func partly() async throws {
        let bench = try bench()
        _ = try await bench.manager.retrieveLivePhoto(with: try source("film.mov"))
        let result = try await bench.manager.retrieveLivePhoto(with: try source("image.heic", "film.mov"))
        #expect(result.cacheType == .none)
        #expect(result.data() == [Self.heic])
        #expect(result.fileURLs.count == 2)
        #expect(bench.stub.requests.count == 2)
        let fresh = try await bench.manager.retrieveLivePhoto(
            with: try source("film.mov"), options: [.forceRefresh])
        #expect(fresh.cacheType == .none && fresh.data() == [Self.mov])
    }

    @Test("Files without an extension are named by their signatures", .behaviours("L-4"))
    func signatures() async throws {
        let bench = try bench()
        let result = try await bench.manager.retrieveLivePhoto(with: try source("image", "film"))
        #expect(result.fileURLs.map(\.pathExtension) == ["heic", "mov"])
        #expect(
            try await bench.manager.retrieveLivePhoto(with: try source("film", "image")).cacheType == .disk)
    }

    @Test("Providers can supply files, and image options have no effect", .behaviours("L-4"))
    func providers() async throws {
        let bench = try bench()
        let raw = RawImageDataProvider(data: Self.mov, cacheKey: "raw")
        let source = LivePhotoSource([
            LivePhotoResource(source: .provider(raw)),
            LivePhotoResource(downloadURL: try url("image.heic")),
        ])
        let options: KingfisherOptionsInfo = [
            .processor(BlurImageProcessor(blurRadius: 3)), .processesAnimatedFrames, .cacheOriginalImage,
            .forcedCacheFileExtension("png"),
        ]
        let result = try await bench.manager.retrieveLivePhoto(with: source, options: options)
        #expect(result.data() == [Self.mov, Self.heic])
        #expect(result.fileURLs.map(\.pathExtension) == ["mov", "heic"])
        #expect(bench.filesOnDisk.count == 2)
    }

    @Test("With no missing files, no request is made", .behaviours("L-5"))
    func empty() async throws {
        let bench = try bench()
        #expect(try await retrieval(bench).downloadAndCache([]) == [])
        let result = try await bench.manager.retrieveLivePhoto(with: LivePhotoSource([]))
        #expect(result.fileURLs == [] && result.cacheType == .disk)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A failure is thrown; files that were loaded stay")
    func failure() async throws {
        let bench = try bench()
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await bench.manager.retrieveLivePhoto(with: try source("missing.heic"))
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
        #expect(bench.filesOnDisk.isEmpty)
        struct Broken: Error {}
        struct Failing: ImageDataProvider {
            let cacheKey = "failing"
            func data() async throws -> Data { throw Broken() }
        }
        let provided = LivePhotoSource([LivePhotoResource(source: .provider(Failing()))])
        let other = await #expect(throws: KingfisherError.self) {
            _ = try await bench.manager.retrieveLivePhoto(with: provided)
        }
        guard case .imageSettingError(.dataProviderError(_, let cause)) = other else {
            return #expect(Bool(false), "\(String(describing: other))")
        }
        #expect(cause is Broken)
    }

    @Test("A loaded file of unknown type counts as missing")
    func unknownType() async throws {
        let bench = try Bench(serving: Data("not an image, not a film".utf8))
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await bench.manager.retrieveLivePhoto(with: try source("file"))
        }
        guard case .cacheError(.missingLivePhotoResourceOnDisk(let resource)) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(resource.dataSource.url == (try url("file")))
        #expect(bench.filesOnDisk.count == 1)
    }

    @Test("With onlyFromCache, no request is made")
    func onlyFromCache() async throws {
        let bench = try bench()
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await bench.manager.retrieveLivePhoto(
                with: try source("image.heic"), options: [.onlyFromCache])
        }
        #expect(error?.reasonName == "imageNotExisting")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("Cancelling the surrounding task ends every transfer with livePhotoTaskCancelled")
    func cancelled() async throws {
        let bench = try bench()
        bench.stub.hold()
        let source = try source("image.heic", "film.mov")
        let task = Task { try await bench.manager.retrieveLivePhoto(with: source) }
        // Allows for a machine whose threads are all busy with other tests.
        #expect(await poll(upTo: .seconds(60)) { bench.stub.requests.count == 2 })
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { _ = try await task.value }
        #expect(error?.reasonName == "livePhotoTaskCancelled" && error?.isTaskCancelled == false)
        #expect(await poll { bench.stub.liveTransfers == 0 })
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("A cancelled load does not wait for a provider that never completes")
    func cancelledProvider() async throws {
        let bench = try bench()
        let provider = PendingProvider()
        let source = LivePhotoSource([LivePhotoResource(source: .provider(provider))])
        let task = Task { try await bench.manager.retrieveLivePhoto(with: source) }
        _ = try await provider.asked.first(1)
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { _ = try await task.value }
        #expect(error?.reasonName == "livePhotoTaskCancelled")
    }

    @Test(
        "Progress adds up the files on the main queue, unless the request is superseded",
        arguments: [true, false])
    func progress(isCurrent: Bool) async throws {
        let bench = try bench()
        let reports = Inbox<(received: Int64, total: Int64, onMain: Bool)>()
        _ = try await bench.manager.retrieveLivePhoto(
            with: try source("image.heic", "film.mov"),
            progressBlock: { reports.put(($0, $1, MainQueue.isCurrent)) },
            referenceTaskIdentifierChecker: { isCurrent })
        await passMainQueue()
        await passMainQueue()
        let all = Int64(Self.heic.count + Self.mov.count)
        #expect(reports.values.allSatisfy { $0.onMain })
        #expect(reports.values.last?.received == (isCurrent ? all : nil))
        #expect(reports.values.last?.total == (isCurrent ? all : nil))
    }

    @Test("A live photo's file is downloaded without being decoded", .behaviours("N-22"))
    func downloads() async throws {
        let bench = try bench()
        let counting = CountingProcessor("counting")
        let options = KingfisherParsedOptionsInfo([.processor(counting)])
        let result = try await bench.downloader.downloadLivePhotoResource(with: bench.url, options: options)
        #expect(result.originalData == Self.heic && result.url == bench.url)
        let called: Result<LivePhotoResourceDownloadingResult, KingfisherError> = try await outcome { done in
            bench.downloader.downloadLivePhotoResource(with: bench.url, options: options) { done($0) }
        }
        #expect(try called.get().originalData == Self.heic)
        #expect(counting.calls == 0)
    }

    @Test("The placeholder processor makes an empty image of any data", .behaviours("N-22"))
    func processor() {
        let processor = LivePhotoImageProcessor()
        let options = KingfisherParsedOptionsInfo(nil)
        for item in [
            ImageProcessItem.data(Data()), .data(TestImages.garbage), .image(KFCrossPlatformImage()),
        ] {
            let image = processor.process(item: item, options: options)
            #expect(image != nil && image?.pixels == nil)
        }
        #expect(processor.identifier == Self.identifier)
    }

    @Test(
        "The returned task cancels the download, and a failure is delivered as its error", .behaviours("N-22")
    )
    func downloadEnds() async throws {
        let bench = try bench()
        let options = KingfisherParsedOptionsInfo(nil)
        bench.stub.hold()
        let inbox = Inbox<Result<LivePhotoResourceDownloadingResult, KingfisherError>>()
        let task = bench.downloader.downloadLivePhotoResource(with: bench.url, options: options) {
            inbox.put($0)
        }
        task.cancel()
        #expect(try await inbox.first().failure?.isTaskCancelled == true)
        bench.stub.release()
        let missing = try url("missing")
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await bench.downloader.downloadLivePhotoResource(with: missing, options: options)
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
    }
}
