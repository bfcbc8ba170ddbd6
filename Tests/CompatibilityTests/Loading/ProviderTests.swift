import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Draws a chart with the callback API.
private struct ChartProvider: ImageDataProvider {
    let cacheKey: String
    let bytes: Data

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        DispatchQueue.global().async { handler(.success(bytes)) }
    }
}

/// Reads from a database with the async API.
private struct RowProvider: ImageDataProvider {
    struct NoSuchRow: Error, Equatable {
        let number: Int
    }

    let row: Int
    let rows: [Int: Data]
    var cacheKey: String { "row-\(row)" }

    func data() async throws -> Data {
        await Task.yield()
        guard let data = rows[row] else { throw NoSuchRow(number: row) }
        return data
    }
}

/// Waits until it is cancelled.
private struct PendingProvider: ImageDataProvider {
    let cacheKey = "patience"

    func data() async throws -> Data {
        try await Task.sleep(nanoseconds: 60_000_000_000)
        return Data()
    }
}

@Suite(.timeLimit(.minutes(1))) struct ProviderTests {
    let box: Sandbox
    private let bytes: Data

    init() throws {
        box = try Sandbox()
        bytes = try Fixtures.data(named: "PNG/rgb8.png")
    }

    private func load(_ provider: any ImageDataProvider) async throws -> RetrieveImageResult {
        try await box.manager.retrieveImage(with: .provider(provider), options: [.waitForCache])
    }

    @Test("A file is loaded with its own key or an explicit one")
    func files() async throws {
        let file = Fixtures.url(named: "PNG/rgb8.png")
        let provider = LocalFileImageDataProvider(fileURL: file)
        #expect(provider.cacheKey == file.cacheKey && provider.contentURL == file)
        #expect(provider.cacheKey.hasPrefix("kingfisher.local.cacheKey"))
        #expect(try await provider.data == bytes)
        #expect(try await load(provider).image.size.width == 33)

        let named = LocalFileImageDataProvider(fileURL: file, cacheKey: "cover", loadingQueue: .untouch)
        #expect(try await load(named).cacheType == .none)
        #expect(box.cache.isCached(forKey: "cover"))
    }

    @Test("A file URL is a resource that is read from disk")
    func fileResource() async throws {
        let source = Fixtures.url(named: "PNG/rgb8.png").convertToSource(overrideCacheKey: "mine")
        guard case .provider = source else {
            Issue.record("\(source)")
            return
        }
        #expect(source.cacheKey == "mine")
        #expect(try await box.manager.retrieveImage(with: source).image.size.height == 21)
    }

    @Test("Base64 text and raw data are loaded")
    func bytesAtHand() async throws {
        let text = Base64ImageDataProvider(base64String: bytes.base64EncodedString(), cacheKey: "inline")
        #expect(try await load(text).image.size.width == 33 && text.cacheKey == "inline")
        let raw = RawImageDataProvider(data: bytes, cacheKey: "raw")
        #expect(raw.data == bytes)
        #expect(try await load(raw).cacheType == .none)
        #expect(try await load(raw).cacheType == .memory)
    }

    @Test("A thumbnail of a file is loaded")
    func thumbnail() async throws {
        let file = Fixtures.url(named: "Photos/coffee.jpg")
        let provider = ThumbnailImageDataProvider(url: file, maxPixelSize: 64)
        #expect(provider.cacheKey == "\(file.absoluteString)_thumb_64.0_true")
        let size = try await load(provider).image.size
        #expect(size.width == 64 && (42...43).contains(size.height))
    }

    @Test("A callback provider supplies an image")
    func withCallback() async throws {
        let chart = ChartProvider(cacheKey: "chart", bytes: bytes)
        #expect(try await load(chart).source.cacheKey == "chart")
        #expect(try await chart.data() == bytes && chart.contentURL == nil)
    }

    @Test("An async provider supplies an image or reports its error")
    func withAsync() async throws {
        #expect(try await load(RowProvider(row: 1, rows: [1: bytes])).image.size.width == 33)
        let missing = RowProvider(row: 2, rows: [:])
        let error = await #expect(throws: KingfisherError.self) { try await load(missing) }
        guard case .imageSettingError(reason: .dataProviderError(let provider, let cause))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(provider.cacheKey == "row-2" && cause as? RowProvider.NoSuchRow == .init(number: 2))

        let called: Result<Data, any Error> = await answer { done in
            RowProvider(row: 1, rows: [1: bytes]).data(handler: done)
        }
        #expect(try called.get() == bytes)
    }

    @Test("A slow provider can be cancelled")
    func cancels() async {
        let result: Result<RetrieveImageResult, KingfisherError> = await answer { done in
            let task = box.manager.retrieveImage(with: .provider(PendingProvider()), completionHandler: done)
            #expect(task != nil)
            task?.cancel()
        }
        guard case .failure(.requestError(reason: .dataProviderCancelled(let provider))) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(provider.cacheKey == "patience")
    }

    @Test("Sources compare by their content and can be dictionary keys")
    func sources() {
        let url = box.url("PNG/rgb8.png")
        #expect(Source.network(url) == .network(url))
        #expect(Source.network(url) != .network(ImageResource(downloadURL: url, cacheKey: "other")))
        let raw = Source.provider(RawImageDataProvider(data: bytes, cacheKey: "raw"))
        #expect(Set([Source.network(url), raw, raw]).count == 2)
        #expect(raw.url == nil && raw.cacheKey == "raw")
    }
}
