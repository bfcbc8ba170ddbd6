import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Bodies that are received into a file.
@Suite struct StreamedBodyTests {
    private let size = 3 * BodyRig.mebibyte

    private func originalData(_ rig: BodyRig, _ downloader: ImageDownloader) async throws -> Data {
        let url = rig.url
        return try await outcome { downloader.downloadImage(with: url, completionHandler: $0) }
            .get().originalData
    }

    @Test(
        "A body above the limit is moved into the cache: its bytes are written once, and nothing stays beside it"
    )
    func moved() async throws {
        let rig = try BodyRig(bytes: size)
        let manager = try rig.makeManager()
        let result = try await rig.load(manager).get()
        #expect(result.image.size == TestImages.pngSize && result.cacheType == .none)
        let calls = rig.takeCalls()
        #expect(calls.contains(.rename) && calls.last { [.write, .rename].contains($0) } == .rename)
        #expect(try rig.cached(manager) == rig.served.withLock(\.body))
        #expect(await rig.isClean())
        manager.cache.clearMemoryCache()
        #expect(try await rig.load(manager).get().cacheType == .disk)
        #expect(rig.server.requestCount() == 1)
    }

    @Test("So is a body without a validator, and one of unknown length", arguments: [false, true])
    func unnamed(isChunked: Bool) async throws {
        let rig = try BodyRig(bytes: size)
        let body = rig.served.withLock(\.body)
        rig.serve { served in
            served.validator = nil
            if isChunked {
                let pieces = stride(from: 0, to: body.count, by: 100_000).map {
                    body.dropFirst($0).prefix(100_000)
                }
                served.answer = { .chunked(pieces) }
            }
        }
        let manager = try rig.makeManager()
        _ = try await rig.load(manager).get()
        let calls = rig.takeCalls()
        #expect(calls.contains(.link) && calls.last { [.write, .rename].contains($0) } == .rename)
        #expect(try rig.cached(manager) == body)
        #expect(await rig.isClean())
    }

    @Test("The limit decides between memory and a file", arguments: [true, false])
    func limit(isAbove: Bool) async throws {
        let rig = try BodyRig(bytes: size)
        let downloader = ImageDownloader(name: "limit")
        #expect(downloader.maxBodyBytesInMemory == BodyRig.mebibyte)
        downloader.maxBodyBytesInMemory = isAbove ? size - 1 : size
        let data = try await originalData(rig, downloader)
        #expect((FileMapping.of(data) != nil) == isAbove)
        #expect(data == rig.served.withLock(\.body))
    }

    @Test("A memory budget does not count the bytes of a file")
    func budget() async throws {
        let rig = try BodyRig(bytes: 8 * BodyRig.mebibyte)
        let manager = try rig.makeManager(memoryBudget: 4 * BodyRig.mebibyte)
        // On a file system in memory, the bytes count.
        let isInMemory = try manager.cache.bodies.makeFile().isInMemory
        #expect((reason(try await rig.load(manager)) == "memoryBudgetExceeded") == isInMemory)
        manager.downloader.maxBodyBytesInMemory = .max
        #expect(reason(try await rig.load(manager, [.forceRefresh])) == "memoryBudgetExceeded")
    }

    @Test("If the file cannot be made or written, the body continues in memory", arguments: [0, 1, 12])
    func fullDisk(writes: Int) async throws {
        let rig = try BodyRig(bytes: size)
        let manager = try rig.makeManager()
        let left = Locked(writes)
        rig.fail { call in
            switch call {
            case .open where writes == 0: ENOSPC
            case .write:
                left.withLock { left in
                    left -= 1
                    return left < 0 ? ENOSPC : 0
                }
            default: 0
            }
        }
        let image = try await rig.load(manager, [.cacheOriginalImage]).get().image
        #expect(image.size == TestImages.pngSize)
        #expect(image.kf.data(format: .PNG) != nil)
        rig.fail { _ in 0 }
        #expect(try rig.cached(manager) == nil)
        #expect(await rig.isClean())
        #expect(rig.server.requestCount() == 1)
    }

    @Test("Bytes that a delegate has changed are stored instead of the file")
    func changed() async throws {
        final class Changer: ImageDownloaderDelegate {
            func imageDownloader(
                _ downloader: ImageDownloader, didDownload data: Data, with dataTask: SessionDataTask
            ) -> Data? { data.prefix(2 * BodyRig.mebibyte) }
        }
        let rig = try BodyRig(bytes: size)
        let manager = try rig.makeManager()
        let changer = Changer()
        manager.downloader.delegate = changer
        _ = try await rig.load(manager).get()
        #expect(try rig.cached(manager) == rig.served.withLock(\.body).prefix(2 * BodyRig.mebibyte))
        #expect(await rig.isClean())
    }

    @Test("A cancelled transfer closes its file, even if the program keeps the task")
    func cancelled() async throws {
        let rig = try BodyRig(bytes: size)
        let body = rig.served.withLock(\.body)
        let manager = try rig.makeManager()
        let results = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let task = try await rig.loadPart(2 * BodyRig.mebibyte, manager) { results.put($0) }
        #expect(task.sessionTask?.mutableData == body.prefix(2 * BodyRig.mebibyte))
        #expect(rig.openFiles == 1)
        task.cancel()
        #expect(reason(try await results.first()) == "taskCancelled")
        #expect(task.sessionTask?.mutableData.isEmpty == true)
        #expect(await poll { rig.openFiles == 0 })
        #expect(await rig.isClean())
        #expect(results.count == 1)
    }
}
