import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// Every documented form of `setImage` compiles without type annotations, and loads.
@Suite @MainActor struct ImageViewLoadingOverloadTests {
    let rig: ImageViewLoadingRig
    let done = Inbox<ImageViewLoadingRig.Outcome>()
    var kf: KingfisherWrapper<ImageView> { rig.view.kf }

    init() throws { rig = try ImageViewLoadingRig() }

    private func check(_ source: Source) async throws {
        let result = try await done.first().get()
        #expect(result.source == source)
        #expect(rig.view.image === result.image && result.image.size == TestImages.pngSize)
    }

    @Test("A source loads") func source() async throws {
        let source = Source.network(rig.bench.url)
        kf.setImage(with: source, options: rig.options) { done.put($0) }
        try await check(source)
    }

    @Test("A source with progress loads") func sourceWithProgress() async throws {
        let source: Source? = .network(rig.bench.url)
        let progress = Inbox<Int64>()
        kf.setImage(with: source, options: rig.options, progressBlock: { progress.put($1) }) { done.put($0) }
        try await check(.network(rig.bench.url))
        #expect(progress.count > 0)
    }

    @Test("A URL loads") func url() async throws {
        kf.setImage(with: rig.bench.url, placeholder: try Image.blank(), options: rig.options) {
            done.put($0)
        }
        try await check(.network(rig.bench.url))
    }

    @Test("An optional URL loads") func optionalURL() async throws {
        let url: URL? = rig.bench.url
        let task: DownloadTask? = kf.setImage(with: url, options: rig.options) { done.put($0) }
        #expect(task != nil)
        try await check(.network(rig.bench.url))
    }

    @Test("A URL with progress loads") func urlWithProgress() async throws {
        let progress = Inbox<Int64>()
        kf.setImage(
            with: rig.bench.url, placeholder: nil, options: rig.options,
            progressBlock: { received, _ in progress.put(received) }, completionHandler: { done.put($0) })
        try await check(.network(rig.bench.url))
        #expect(progress.count > 0)
    }

    @Test("A resource loads") func resource() async throws {
        let resource = KF.ImageResource(downloadURL: rig.bench.url, cacheKey: "my key")
        kf.setImage(with: resource, options: rig.options) { done.put($0) }
        try await check(.network(resource))
        #expect(rig.bench.cache.isCached(forKey: "my key"))
    }

    @Test("A file URL loads") func fileURL() async throws {
        let url = Fixtures.url(named: "PNG/rgba8.png")
        kf.setImage(with: url, options: rig.options) { done.put($0) }
        try await check(.provider(LocalFileImageDataProvider(fileURL: url)))
    }

    @Test("A provider loads") func provider() async throws {
        let provider = RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")
        kf.setImage(with: provider, options: rig.options) { done.put($0) }
        try await check(.provider(provider))
    }

    @Test("A provider with progress loads") func providerWithProgress() async throws {
        let provider: (any ImageDataProvider)? = Base64ImageDataProvider(
            base64String: try TestImages.png.base64EncodedString(), cacheKey: "text")
        kf.setImage(with: provider, options: rig.options, progressBlock: { _, _ in }) { done.put($0) }
        try await check(try #require(provider).convertToSource())
    }

    @Test("A missing source of each kind fails with emptySource", .behaviours("V-1"))
    func missingSource() {
        let (source, url, provider): (Source?, URL?, (any ImageDataProvider)?) = (nil, nil, nil)
        let noProgress: DownloadProgressBlock = { _, _ in Issue.record("progress without a source") }
        kf.setImage(with: source) { done.put($0) }
        kf.setImage(with: source, progressBlock: noProgress) { done.put($0) }
        kf.setImage(with: url) { done.put($0) }
        kf.setImage(with: url, progressBlock: noProgress) { done.put($0) }
        kf.setImage(with: provider) { done.put($0) }
        kf.setImage(with: provider, progressBlock: noProgress) { done.put($0) }
        #expect(done.values.map(reason) == Array(repeating: "emptySource", count: 6))
    }
}
