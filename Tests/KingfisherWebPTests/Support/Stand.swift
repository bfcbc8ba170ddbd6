import Foundation
import KingfisherTestSupport
import KingfisherWebP

/// A cache and a manager for one test, with a server that has one file.
final class Stand: Sendable {
    let cache: ImageCache
    let manager: KingfisherManager
    private let stub: StubTransport
    let folder = TestFolders.unused()

    init(serving file: Data) throws {
        cache = try ImageCache(name: "stand", cacheDirectoryURL: folder)
        cache.diskStorage.config.filtersNames = false
        stub = StubTransport { _ in .ok(file) }
        manager = KingfisherManager(downloader: ImageDownloader(name: "stand", transport: stub), cache: cache)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The result, after the image is written to disk.
    func retrieve(_ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await retrieve(.network(URL(string: "http://stand.test/image")!), options)
    }

    func retrieve(_ source: Source, _ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await manager.retrieveImage(with: source, options: options + [.waitForCache])
    }

    var requestCount: Int { stub.requests.count }

    /// The contents of the files on disk.
    var filesOnDisk: [Data] {
        let folder = cache.diskStorage.directoryURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { try? Data(contentsOf: folder.appending(path: $0)) }
    }
}
