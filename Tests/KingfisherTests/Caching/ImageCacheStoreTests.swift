import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@Suite struct ImageCacheStoreTests {
    private let folder: TemporaryFolder
    private let cache: ImageCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "store", cacheDirectoryURL: folder.url)
    }

    private var files: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: cache.diskStorage.directoryURL.path)
        }
    }

    private func store(_ key: String, original: Data? = nil) async throws -> CacheStoreResult {
        let image = try TestImages.image
        return try await outcome {
            cache.store(image, original: original, forKey: key, completionHandler: $0)
        }
    }

    @Test("Memory has the image when store returns, the disk when it completes", .behaviours("C-1"))
    func memoryFirst() async throws {
        let image = try TestImages.image
        let inbox = Inbox<CacheStoreResult>()
        cache.store(image, forKey: "key") { inbox.put($0) }
        #expect(cache.retrieveImageInMemoryCache(forKey: "key") === image)
        let result = try await inbox.first()
        #expect(throws: Never.self) { try result.diskCacheResult.get() }
        #expect(cache.diskStorage.isCached(forKey: "key"))
    }

    @Test(
        "With options, store completes on their callback queue; otherwise on a private queue",
        .behaviours("C-1"))
    func completionQueues() async throws {
        let image = try TestImages.image
        let marked = MarkedQueue()
        var options = KingfisherParsedOptionsInfo(nil)
        options.callbackQueue = .dispatch(marked.queue)
        let withOptions: Bool = try await outcome { done in
            cache.store(image, forKey: "a", options: options) { _ in done(marked.isCurrent) }
        }
        #expect(withOptions)
        let onMain: Bool = try await outcome { done in
            DispatchQueue.main.async { [cache] in
                cache.store(image, forKey: "b") { _ in done(MainQueue.isCurrent) }
            }
        }
        #expect(!onMain)
    }

    @Test("Completions without a callback queue never overlap", .behaviours("C-1"))
    func serialCompletions() async throws {
        let image = try TestImages.image
        let overlap = ConcurrencyGauge()
        let inbox = Inbox<Void>()
        for number in 0..<40 {
            cache.store(image, forKey: "\(number)") { _ in
                overlap.during { usleep(200) }
                inbox.put()
            }
        }
        _ = try await inbox.first(40)
        #expect(overlap.highest == 1)
    }

    @Test("A disk retrieval inside a store completion returns first and completes later", .behaviours("C-2"))
    func nestedRetrieval() async throws {
        let image = try TestImages.image
        let events = Inbox<String>()
        cache.store(image, forKey: "key") { [cache] _ in
            cache.retrieveImageInDiskCache(forKey: "key") { result in
                events.put((try? result.get()) == nil ? "missing" : "completed")
            }
            usleep(20_000)
            events.put("returned")
        }
        #expect(try await events.first(2) == ["returned", "completed"])
    }

    @Test(
        "With loadDiskFileSynchronously, a nested retrieval completes before the call returns",
        .behaviours("C-2"))
    func nestedSynchronousRetrieval() async throws {
        let image = try TestImages.image
        let events = Inbox<String>()
        cache.store(image, forKey: "key") { [cache] _ in
            cache.retrieveImageInDiskCache(forKey: "key", options: [.loadDiskFileSynchronously]) { result in
                events.put((try? result.get()) == nil ? "missing" : "completed")
            }
            events.put("returned")
        }
        #expect(try await events.first(2) == ["completed", "returned"])
    }

    @Test("Without the disk, both results are successes, on the callback queue", .behaviours("C-3"))
    func memoryOnly() async throws {
        let image = try TestImages.image
        let marked = MarkedQueue()
        let (isMarked, isGood): (Bool, Bool) = try await outcome { done in
            cache.store(image, forKey: "key", toDisk: false, callbackQueue: .dispatch(marked.queue)) {
                result in
                done((marked.isCurrent, (try? result.diskCacheResult.get()) != nil))
            }
        }
        #expect(isMarked)
        #expect(isGood)
        try await cache.settle()
        #expect(try files.isEmpty)
        #expect(cache.imageCachedType(forKey: "key") == .memory)
    }

    @Test("An expired policy stores nothing, without an error", .behaviours("C-8"), arguments: [true, false])
    func expiredPolicies(onDisk: Bool) async throws {
        let image = try TestImages.image
        var options = KingfisherParsedOptionsInfo(nil)
        options.callbackQueue = .untouch
        if onDisk { options.diskCacheExpiration = .expired } else { options.memoryCacheExpiration = .expired }
        let result: CacheStoreResult = try await outcome { [options] in
            cache.store(image, forKey: "key", options: options, completionHandler: $0)
        }
        #expect(throws: Never.self) { try result.diskCacheResult.get() }
        #expect(cache.memoryStorage.isCached(forKey: "key") == onDisk)
        #expect(try files.count == (onDisk ? 0 : 1))
    }

    @Test("Each image is one file without others; the size is the sum of the payloads", .behaviours("C-14"))
    func oneFileEach() async throws {
        let payloads = [
            Data(repeating: 1, count: 10), Data(repeating: 2, count: 2_000), Data([3]), Data([4, 5]),
        ]
        for (number, payload) in payloads.enumerated() {
            try await cache.storeToDisk(payload, forKey: "key \(number)")
        }
        #expect(try files.count == 4)
        #expect(try await cache.diskStorageSize == UInt(payloads.map(\.count).reduce(0, +)))
        let measured: Result<UInt, KingfisherError> = try await outcome {
            cache.calculateDiskStorageSize(completion: $0)
        }
        #expect(try measured.get() == 2_013)
    }

    @Test("The file's content is what the serializer returned", .behaviours("C-15"))
    func fileContent() async throws {
        let image = try TestImages.image
        let bytes = Data("serialized".utf8)
        try await cache.store(image, forKey: "custom", cacheSerializer: CountingSerializer { _, _ in bytes })
        #expect(try Data(contentsOf: URL(filePath: cache.cachePath(forKey: "custom"))) == bytes)

        var original = DefaultCacheSerializer()
        original.preferCacheOriginalData = true
        let jpeg = try TestImages.jpeg
        try await cache.store(image, original: jpeg, forKey: "original", cacheSerializer: original)
        #expect(try Data(contentsOf: URL(filePath: cache.cachePath(forKey: "original"))) == jpeg)
    }

    @Test(
        "Memory cost is summed by key, counts the same image under two keys twice, and is 0 after clearing",
        .behaviours("C-20"))
    func memoryCost() throws {
        let image = try TestImages.image
        #expect(image.cacheCost == 33 * 21 * 4)
        cache.store(image, forKey: "one", toDisk: false)
        cache.store(image, forKey: "two", toDisk: false)
        #expect(cache.memoryStorageCacheCost == 2 * image.cacheCost)
        cache.clearMemoryCache()
        #expect(cache.memoryStorageCacheCost == 0)
    }

    @Test("A serializer that returns nil fails the disk result only", .behaviours("C-23"))
    func serializerFails() async throws {
        let image = try TestImages.image
        let result: CacheStoreResult = try await outcome {
            cache.store(
                image, forKey: "key", cacheSerializer: CountingSerializer { _, _ in nil },
                completionHandler: $0)
        }
        #expect(reason(result.diskCacheResult) == "cannotSerializeImage")
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        await #expect(throws: KingfisherError.self) {
            try await cache.store(image, forKey: "key", cacheSerializer: CountingSerializer { _, _ in nil })
        }
    }

    @Test("A process may exit while images are being written")
    func exitWhileWriting() async throws {
        // The test owns the folder, so what that process still writes on exit is removed here.
        try await Self.cacheFolder.give(folder.url.path) {
            await #expect(processExitsWith: .success) {
                let path = try Self.cacheFolder.received
                let cache = try ImageCache(name: "exit", cacheDirectoryURL: URL(filePath: path))
                let image = try TestImages.image
                let first = Inbox<Void>()
                for number in 0..<2_000 {
                    cache.store(image, forKey: "\(number)") { _ in first.put() }
                }
                _ = try await first.first(1)
            }
        }
    }

    private static let cacheFolder = ExitTestText("cache folder")
}

/// Counts how many threads run concurrently.
private final class ConcurrencyGauge: Sendable {
    private let state = Mutex((now: 0, highest: 0))

    var highest: Int { state.withLock(\.highest) }

    func during(_ body: () -> Void) {
        state.withLock {
            $0.now += 1
            $0.highest = max($0.highest, $0.now)
        }
        body()
        state.withLock { $0.now -= 1 }
    }
}
