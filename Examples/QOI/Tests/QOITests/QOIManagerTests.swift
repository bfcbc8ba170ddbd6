import Foundation
import Kingfisher
import KingfisherTestSupport
import QOI
import Testing

/// Serialised, because codec registration is global.
@Suite("QOI through the manager", .serialized) final class QOIManagerTests {
    private let url = URL(string: "https://example.com/image.qoi")!
    /// Pillow's file with one changed header byte, so that it differs from the encoder's output.
    private let data: Data
    private let network: StubTransport
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let manager: KingfisherManager

    init() throws {
        var file = try Golden.file("rgba")
        file[13] = 1
        data = file
        network = StubTransport([url: .ok(data)])
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "qoi", transport: network),
            cache: try ImageCache(name: "qoi", cacheDirectoryURL: folder))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Loads the image from the network and then from disk, and returns the stored bytes.
    private func loadTwice(_ options: KingfisherOptionsInfo, identifier: String) async throws -> Data? {
        for cacheType in [CacheType.none, .disk] {
            manager.cache.clearMemoryCache()
            let result = try await manager.retrieveImage(
                with: .network(url), options: options + [.waitForCache])
            #expect(result.cacheType == cacheType)
            #expect(result.image.pixels?.samples == (try Golden.pixels("rgba")))
        }
        #expect(network.requests.count == 1)
        return try manager.cache.diskStorage.value(
            forKey: identifier.isEmpty ? url.absoluteString : "\(url.absoluteString)@\(identifier)")
    }

    @Test("An unregistered format is unknown and fails to load") func unknown() async throws {
        #expect(data.kf.imageFormat == .unknown)
        await #expect(throws: KingfisherError.self) { try await manager.retrieveImage(with: .network(url)) }
    }

    @Test("Options of a request load and store QOI") func options() async throws {
        let bytes = try await loadTwice(
            [.processor(QOIProcessor.default), .cacheSerializer(QOICacheSerializer.default)],
            identifier: QOIProcessor.default.identifier)
        #expect(try bytes == Golden.file("rgba"))
    }

    @Test("The processor works before and after other processors") func chain() async throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 5, height: 4))
        let result = try await manager.retrieveImage(
            with: .network(url),
            options: [
                .processor(QOIProcessor.default |> crop |> QOIProcessor.default),
                .cacheSerializer(QOICacheSerializer.default), .waitForCache,
            ])
        #expect(result.image.size == CGSize(width: 5, height: 4))
    }

    @Test("A registered codec needs no options and stores the server's bytes")
    func registered() async throws {
        ImageCodecs.register(.qoi)
        defer { ImageCodecs.unregister(.qoi) }
        #expect(data.kf.imageFormat == .qoi)
        #expect(ImageCodecs.format(forFileExtension: "QOI") == .qoi)
        #expect(try await loadTwice([], identifier: "") == data)
        let image = try #require(Image(data: data))
        #expect(image.kf.data(format: .qoi) == data)
        #expect(try image.encoded(as: .qoi) == Golden.file("rgba"))
    }
}
