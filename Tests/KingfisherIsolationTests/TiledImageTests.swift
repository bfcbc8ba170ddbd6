import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherIsolation

@Suite("Isolation: tiles", .serialized)
struct TiledImageTests {
    private let folder = TestFolders.unused()

    private func open(_ data: Data, in pool: DecoderPool) async throws -> TiledImage {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("image")
        try data.write(to: file)
        let context = DecodingContext(strategy: DecoderIsolation(policy: .all, pool: pool))
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "tiles"),
            cache: try ImageCache(name: "tiles", cacheDirectoryURL: folder))
        return try await TiledImage.open(
            .provider(LocalFileImageDataProvider(fileURL: file)), options: [.decodingContext(context)],
            manager: manager)
    }

    @Test("An isolated image is decoded once by one process, which is not needed for tiles")
    func oneDecoder() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // Longer than the test takes on a busy machine.
        let pool = DecoderPool.of(Programs.decoder) { $0.idleTime = .seconds(600) }
        let data = try JPEGCodec().encode(TestImages.gradients(1_200, 700), options: ImageEncodingOptions())
        let image = try await open(data, in: pool)
        let process = try #require(pool.processIdentifiers.first)
        let overview = try #require(try await image.overview(covering: image.size).pixels)
        #expect(pool.processIdentifiers == [process])
        pool.endIdleProcesses()
        #expect(pool.processIdentifiers.isEmpty)
        for (column, row) in [(0, 0), (2, 0), (2, 1)] {
            let place = TiledImage.Tile(level: 0, column: column, row: row)
            let tile = try #require(try await image.tile(place).pixels)
            let crop = try overview.cropped(
                x: column * 512, y: row * 512, width: tile.width, height: tile.height)
            #expect(tile.packedBytes == crop.packedBytes)
        }
        #expect(pool.processIdentifiers.isEmpty)
    }

    @Test("A decoder process that fails is one error")
    func failure() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = try JPEGCodec().encode(TestImages.gradients(1_200, 700), options: ImageEncodingOptions())
        let image = try await open(data.prefix(data.count / 2), in: DecoderPool.of(Programs.decoder))
        for _ in 0..<2 {
            do {
                _ = try await image.tile(TiledImage.Tile(level: 0, column: 0, row: 0))
                Issue.record("decoded")
            } catch KingfisherError.cacheError(.cannotLoadDataFromDisk(_, let error)) {
                #expect(error as? ImageCodecError == .truncated)
            }
        }
    }
}
