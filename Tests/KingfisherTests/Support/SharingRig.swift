@testable import Kingfisher
import Foundation
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import TestHelpers

/// A manager whose cache counts the files that it renames into place.
final class SharingRig: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let cache: ImageCache
    let originals: ImageCache
    let stub: StubTransport
    let manager: KingfisherManager
    let url = Bench.freshURL()
    private let folder: TemporaryFolder
    private let renames = Locked(0)

    init() throws {
        let folder = try TemporaryFolder()
        let renames = renames
        func makeCache(_ name: String) throws -> ImageCache {
            let system = FileSystem { call, _ in
                if call == .rename { renames.withLock { $0 += 1 } }
                return 0
            }
            var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: folder.url)
            config.filtersNames = false
            return ImageCache(
                memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 26)),
                diskStorage: try DiskStorage.Backend(
                    config: config, fileSystem: system, clock: WallClock()))
        }
        let png = try TestImages.png
        self.folder = folder
        cache = try makeCache("target")
        originals = try makeCache("originals")
        stub = StubTransport { _ in .ok(png) }
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "sharing", transport: stub), cache: cache)
    }

    var key: String { url.cacheKey }

    /// The number of files written so far.
    var writtenFiles: Int { renames.withLock { $0 } }

    /// Makes calls from several threads. All of them have joined their work when this returns.
    func call(
        _ count: Int, _ source: Source? = nil,
        _ options: @escaping @Sendable (_ number: Int) -> KingfisherOptionsInfo = { _ in [] }
    ) async -> Inbox<(number: Int, outcome: Outcome)> {
        let inbox = Inbox<(number: Int, outcome: Outcome)>()
        let source = source ?? .network(url)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                DispatchQueue.concurrentPerform(iterations: count) { number in
                    manager.retrieveImage(
                        with: source, options: [.callbackQueue(.untouch)] + options(number)
                    ) { inbox.put((number, $0)) }
                }
                continuation.resume()
            }
        }
        return inbox
    }

    /// Loads with asynchronous callers that run at the same time.
    func load(
        _ count: Int, _ source: Source,
        _ options: @escaping @Sendable (_ number: Int) -> KingfisherOptionsInfo
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [manager] in
                    _ = try await manager.retrieveImage(with: source, options: options(number))
                }
            }
            try await group.waitForAll()
        }
    }

    /// Waits until the disk work queued in both caches is done.
    func settle() async throws {
        try await cache.settle()
        try await originals.settle()
    }
}

/// A provider that counts its calls. A call ends when the gate opens or its task is cancelled.
struct GatedProvider: ImageDataProvider {
    struct Failed: Error {}

    let cacheKey: String
    let gate: Gate
    var number = 0
    var data: Data?

    func data() async throws -> Data {
        try await gate.pass()
        guard let data else { throw Failed() }
        return data
    }

    /// Counts insertions and cancellations.
    final class Gate: Sendable {
        let insertions = Inbox<Void>()
        let cancellations = Inbox<Void>()
        private let opening = Inbox<Void>()

        func open() { opening.put() }

        func pass() async throws {
            insertions.put()
            try await withTaskCancellationHandler {
                _ = try await opening.first()
                try Task.checkCancellation()
            } onCancel: { [self] in
                cancellations.put()
                opening.put()
            }
        }
    }
}

/// Blocks threads in a synchronous step until it is opened permanently.
final class Valve: Sendable {
    let insertions = Inbox<Void>()
    private let latch = Latch()

    func open() { latch.open() }

    func pass() {
        insertions.put()
        if latch.wait() { latch.open() }
    }
}

/// A serializer whose decoding waits for a gate.
final class GatedSerializer: CacheSerializer {
    let valve = Valve()
    private let counting = CountingSerializer()

    var decoded: Int { counting.decoded }
    var encoded: Int { counting.encoded }

    func data(with image: Image, original: Data?) -> Data? { counting.data(with: image, original: original) }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        valve.pass()
        return counting.image(with: data, options: options)
    }
}
