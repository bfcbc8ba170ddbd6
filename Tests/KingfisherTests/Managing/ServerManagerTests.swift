import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@Suite struct ServerManagerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func manager() throws -> KingfisherManager {
        KingfisherManager.forServers(cache: try ImageCache(name: "server", cacheDirectoryURL: folder.url))
    }

    @Test("Tasks run while images are decoded on as many threads as there are cores")
    func tasksBesideDecoding() async throws {
        let isDone = Atomic(false)
        let spinning = Atomic(0)
        let png = try TestImages.png
        let servers = try manager()
        let inbox = Inbox<Bool>()
        let cores = ProcessInfo.processInfo.activeProcessorCount
        for number in 0..<cores {
            let processor = CountingProcessor("spin \(number)") { image in
                spinning.add(1, ordering: .relaxed)
                let end = ContinuousClock.now + .seconds(20 * ProcessStatus.slowness)
                while !isDone.load(ordering: .relaxed), .now < end {}
                return image
            }
            let source = Source.provider(RawImageDataProvider(data: png, cacheKey: "spin \(number)"))
            servers.retrieveImage(with: source, options: [.processor(processor)]) { _ in inbox.put(true) }
        }
        while spinning.load(ordering: .relaxed) < cores { usleep(1_000) }
        let start = ContinuousClock.now
        await Task.detached {}.value
        let duration = ContinuousClock.now - start
        isDone.store(true, ordering: .relaxed)
        _ = try await inbox.first(cores)
        #expect(duration < .seconds(10 * ProcessStatus.slowness))
    }

    @Test("A manager for servers has image limits, at most those of the process when it is made")
    func imageLimits() throws {
        let options = KingfisherParsedOptionsInfo(try manager().defaultOptions)
        let limits = try #require(options.decodingContext?.limits)
        #expect(limits == KingfisherManager.serverImageLimits)
        #expect(limits.maximumAnimationPixels == 1_000_000_000 && limits.maximumMetadataBytes == 4 << 20)
        let strict = ImageLimits(
            maximumPixels: 9, maximumFrames: 8, maximumAnimationPixels: 7, maximumFrameBytes: 6,
            maximumMetadataBytes: 5)
        #expect(DecodingContext(limits: strict).run { KingfisherManager.serverImageLimits } == strict)
    }

    @Test("A manager for servers decodes each image in one thread")
    func oneThread() throws {
        let options = KingfisherParsedOptionsInfo(try manager().defaultOptions)
        #expect(try #require(options.decodingContext).usesIdleCores == false)
    }

    @Test("A manager for servers connects only to public addresses and reads no files for untrusted URLs")
    func untrustedURLs() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { _ in .ok(png) }
        defer { server.stop() }
        let file = folder.url.appending(path: "secret.png")
        try png.write(to: file)
        let manager = try manager()
        let data = try #require(URL(string: "data:image/png;base64,\(png.base64EncodedString())"))
        for url in [server.url(), server.url(host: "localhost"), file, data] {
            await #expect(throws: KingfisherError.self) { try await manager.retrieveImage(with: url) }
            let result = try await outcome { manager.retrieveImage(with: url, completionHandler: $0) }
            #expect(throws: KingfisherError.self) { try result.get() }
        }
        #expect(server.acceptedConnections == 0)
        for own: any ImageDataProvider in [
            LocalFileImageDataProvider(fileURL: file), DataURLImageDataProvider(url: data),
        ] {
            #expect(
                try await manager.retrieveImage(with: .provider(own)).image.size == TestImages.pngSize)
        }
        #expect(
            try await KingfisherManager(downloader: ImageDownloader(name: "own"), cache: manager.cache)
                .retrieveImage(with: file).image.size == TestImages.pngSize)
    }

    @Test("A manager for servers reads no file for any source made from a URL")
    func untrustedSources() async throws {
        let manager = try manager()
        let file = folder.url.appending(path: "secret.png")
        try TestImages.png.write(to: file)
        let source = file.convertToSource()
        let missing = Source.network(try #require(URL(string: "http://127.0.0.1:1/")))
        let cases: [(Source, KingfisherOptionsInfo)] = [
            (source, []), (.network(file), []), (missing, [.alternativeSources([source])]),
            (file.convertToSource(overrideCacheKey: "other"), [.forceRefresh]),
            // The manager's rule also holds with another downloader.
            (source, [.downloader(ImageDownloader(name: "other"))]),
        ]
        for (source, options) in cases {
            await #expect(throws: KingfisherError.self) {
                try await manager.retrieveImage(with: source, options: options)
            }
        }
    }

    @Test("A manager for servers reads no file for a live photo")
    func untrustedLivePhotos() async throws {
        let manager = try manager()
        let file = folder.url.appending(path: "secret.mov")
        try Data("secret".utf8).write(to: file)
        for source in [
            LivePhotoSource(urls: [file]), LivePhotoSource(resources: [file]),
            LivePhotoSource([LivePhotoResource(downloadURL: file, cacheKey: "key")]),
        ] {
            await #expect(throws: KingfisherError.self) {
                try await manager.retrieveLivePhoto(with: source, options: [.forceRefresh])
            }
        }
        let own = LocalFileImageDataProvider(fileURL: file)
        let source = LivePhotoSource([LivePhotoResource(source: .provider(own), fileType: .mov)])
        #expect(try await manager.retrieveLivePhoto(with: source).fileURLs.count == 1)
    }

    @Test(
        "A prefetcher with the downloader of a manager for servers reads no file", arguments: [false, true])
    func untrustedPrefetching(bySource: Bool) async throws {
        let manager = try manager()
        let file = folder.url.appending(path: "secret.png")
        try TestImages.png.write(to: file)
        let options: KingfisherOptionsInfo = [
            .downloader(manager.downloader), .targetCache(manager.cache),
        ]
        let failed = Inbox<Int>()
        if bySource {
            ImagePrefetcher(sources: [file.convertToSource()], options: options) { _, failures, _ in
                failed.put(failures.count)
            }
            .start()
            #expect(try await failed.first() == 1)
        } else {
            // A prefetcher of URLs does not report skipped files.
            ImagePrefetcher(urls: [file], options: options) { _, _, _ in failed.put(0) }.start()
            _ = try await failed.first()
        }
        #expect(!manager.cache.isCached(forKey: file.cacheKey))
    }

    @Test("A manager for servers processes in parallel and calls back on a background thread")
    func parallel() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { _ in .ok(png) }
        defer { server.stop() }
        let manager = try manager()
        manager.downloader.addressPolicy = .any
        let barrier = ProcessingBarrier(ProcessInfo.processInfo.activeProcessorCount)
        let inbox = Inbox<(isMain: Bool, isSuccess: Bool)>()
        for index in 0..<barrier.size {
            let url = server.url("/\(index)")
            manager.retrieveImage(with: url, options: [.processor(barrier.processor)]) { result in
                inbox.put((Thread.isMainThread, (try? result.get()) != nil))
            }
        }
        let results = try await inbox.first(barrier.size)
        #expect(results.allSatisfy { !$0.isMain && $0.isSuccess })
        #expect(barrier.isComplete, "as many images were processed concurrently as there are cores")
    }

    @Test("A manager for servers stores no cookies, which untrusted requests would share")
    func cookies() throws {
        #expect(try manager().downloader.sessionConfiguration.httpCookieStorage == nil)
    }

    @Test("A manager for servers remembers no credentials, which untrusted requests would share")
    func credentials() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Basic bWU6c2VjcmV0"
                ? .ok(png) : .status(401, headers: [("WWW-Authenticate", #"Basic realm="images""#)])
        }
        defer { server.stop() }
        let target = server.url("/b.png").absoluteString
        let elsewhere = try LoopbackServer { _ in .redirect(to: target) }
        defer { elsewhere.stop() }
        let manager = try manager()
        #expect(!manager.downloader.remembersCredentials)
        manager.downloader.addressPolicy = .any
        let own = try #require(
            URL(string: server.url("/a.png").absoluteString.replacing("//", with: "//me:secret@")))
        _ = try await manager.retrieveImage(with: own)
        for url in [server.url("/b.png"), elsewhere.url("/c.png"), server.url("/a.png")] {
            let result = try await outcome { manager.retrieveImage(with: url, completionHandler: $0) }
            #expect(reason(result) == "invalidHTTPStatusCode")
        }
        #expect(server.requests.compactMap { $0.header("Authorization") }.count == 1)
    }

    @Test("A manager for servers remembers sources without an image, unless a request says otherwise")
    func negativeCaching() async throws {
        let server = try LoopbackServer { _ in .status(404) }
        defer { server.stop() }
        let manager = try manager()
        manager.downloader.addressPolicy = .any
        let url = server.url("/1.png")
        let options: [KingfisherOptionsInfo] = [[], [], [.negativeCaching(nil)]]
        var reasons: [String?] = []
        for options in options {
            reasons.append(
                reason(
                    try await outcome {
                        manager.retrieveImage(with: .network(url), options: options, completionHandler: $0)
                    }))
        }
        #expect(reasons == ["invalidHTTPStatusCode", "knownFailure", "invalidHTTPStatusCode"])
        #expect(server.requestCount() == 2)
    }

    @Test("A manager for servers has tight limits")
    func limits() throws {
        let downloader = try manager().downloader
        #expect(downloader.maxBodyBytes == 16 << 20)
        #expect(downloader.downloadTimeout == 10)
        #expect(downloader.sessionConfiguration.timeoutIntervalForResource == 20)
    }
}

/// A processor whose calls wait for each other, for up to ten seconds.
private final class ProcessingBarrier: Sendable {
    private struct Processor: ImageProcessor {
        let identifier = "meeting"
        let barrier: ProcessingBarrier

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
            barrier.arrive()
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
    }

    let size: Int
    private let arrived = Atomic(0)

    init(_ size: Int) { self.size = size }

    var processor: any ImageProcessor { Processor(barrier: self) }
    var isComplete: Bool { arrived.load(ordering: .acquiring) == size }

    private func arrive() {
        arrived.add(1, ordering: .acquiringAndReleasing)
        let end = ContinuousClock.now + .seconds(10 * ProcessStatus.slowness)
        while !isComplete, .now < end { usleep(1_000) }
        // After a timeout, late insertions must not complete the count.
        if !isComplete { arrived.store(.min, ordering: .releasing) }
    }
}
