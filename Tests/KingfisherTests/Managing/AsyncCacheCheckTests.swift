import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// M-24: `asyncCacheTypeCheck`, which takes precedence over `loadDiskFileSynchronously`.
@Suite struct AsyncCacheCheckTests {
    private let bench: Bench
    private let options: KingfisherOptionsInfo = [.asyncCacheTypeCheck, .loadDiskFileSynchronously]

    init() throws {
        bench = try Bench()
    }

    private struct SlowModifier: AsyncImageDownloadRequestModifier {
        let started: Inbox<Void>
        let resume: Inbox<Void>
        var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }

        func modified(for request: URLRequest) async -> URLRequest? {
            started.put()
            try? await resume.first()
            return request
        }
    }

    /// Blocks the disk until the latch opens.
    private func blockDisk() -> Latch {
        let latch = Latch()
        bench.cache.diskQueue.barrier { _ = latch.wait() }
        return latch
    }

    @Test(
        "The cache types of M-1 are reported with and without a processor", .behaviours("M-24"),
        arguments: [true, false])
    func sequence(processes: Bool) async throws {
        let options = options + [.waitForCache] + (processes ? [.processor(CountingProcessor("p"))] : [])
        #expect(try await bench.retrieve(nil, options).get().cacheType == .none)
        #expect(try await bench.retrieve(nil, options).get().cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await bench.retrieve(nil, options).get().cacheType == .disk)
        await bench.cache.clearCache()
        #expect(try await bench.retrieve(nil, options).get().cacheType == .none)
        #expect(bench.stub.requests.count == 2)
    }

    @Test(
        "With the option a disk hit is not read on the calling thread; without it, it is",
        .behaviours("M-24"),
        arguments: [
            true, false,
        ])
    func diskHit(checksAsynchronously: Bool) async throws {
        for caller in Caller.allCases {
            let rig = try ThreadRig()
            try await rig.cache.storeToDisk(rig.codec.file, forKey: rig.url.cacheKey)
            let seen = try await rig.request(
                from: caller, checksAsynchronously ? options : [.loadDiskFileSynchronously])
            #expect(seen.succeeded && !seen.disk.isEmpty)
            #expect((seen.disk + seen.decoding).contains(seen.caller) != checksAsynchronously)
        }
    }

    @Test(
        "With the option, a miss and an original are not looked up on the calling thread",
        .behaviours("M-24"), arguments: [true, false])
    func missAndOriginal(checksAsynchronously: Bool) async throws {
        let options = checksAsynchronously ? options : [.loadDiskFileSynchronously]
        for caller in Caller.allCases {
            let rig = try ThreadRig()
            let miss = try await rig.request(from: caller, options + [.waitForCache])
            #expect(miss.succeeded && !miss.network.isEmpty)
            #expect(miss.disk.contains(miss.caller) != checksAsynchronously)
            rig.cache.clearMemoryCache()
            let original = try await rig.request(from: caller, options + [.processor(CountingProcessor("p"))])
            #expect(original.succeeded && original.network.isEmpty)
            #expect(original.disk.contains(original.caller) != checksAsynchronously)
        }
    }

    @Test("The cache itself honours the option", .behaviours("M-24"), arguments: [true, false])
    func cacheAlone(checksAsynchronously: Bool) async throws {
        try await bench.cache.storeToDisk(TestImages.png, forKey: "key")
        let latch = blockDisk()
        let options = KingfisherParsedOptionsInfo(
            checksAsynchronously ? options : [.loadDiskFileSynchronously])
        let found = Inbox<CacheType?>()
        bench.cache.retrieveImage(forKey: "key", options: options, callbackQueue: .untouch) {
            found.put(try? $0.get().cacheType)
        }
        #expect(found.values == (checksAsynchronously ? [] : [.disk]))
        latch.open()
        #expect(try await found.first() == .disk)
    }

    @Test(
        "A miss returns a task immediately; cancelling it cancels the download",
        .behaviours("M-24"))
    func pendingTask() async throws {
        bench.stub.hold()
        let latch = blockDisk()
        let outcomes = Inbox<RetryRig.Outcome>()
        let task = try #require(
            bench.manager.retrieveImage(with: bench.url, options: options) { outcomes.put($0) })
        #expect(!task.isInitialized && task.sessionTask == nil && bench.stub.requests.isEmpty)
        latch.open()
        #expect(await poll { task.isInitialized })
        #expect(task.sessionTask?.originalURL == bench.url)
        task.cancel()
        #expect(try await outcomes.first().failure?.isTaskCancelled == true)
        #expect(await poll { bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(outcomes.count == 1)
    }

    @Test("A cancel during the disk check is delivered immediately, without a request", .behaviours("M-24"))
    func cancelDuringCheck() async throws {
        let latch = blockDisk()
        let outcomes = Inbox<RetryRig.Outcome>()
        let task = bench.manager.retrieveImage(
            with: bench.url, options: options + [.callbackQueue(.untouch)]
        ) { outcomes.put($0) }
        try #require(task).cancel()
        #expect(outcomes.values.first?.failure?.isTaskCancelled == true)
        latch.open()
        try await bench.cache.settle()
        #expect(outcomes.count == 1 && bench.stub.requests.isEmpty)
    }

    @Test("A cancel while an asynchronous request modifier runs gives taskCancelled", .behaviours("M-24"))
    func cancelDuringModifier() async throws {
        let modifier = SlowModifier(started: Inbox(), resume: Inbox())
        let outcomes = Inbox<RetryRig.Outcome>()
        let task = bench.manager.retrieveImage(
            with: bench.url, options: options + [.requestModifier(modifier)]
        ) { outcomes.put($0) }
        try await modifier.started.first()
        try #require(task).cancel()
        #expect(try await outcomes.first().failure?.isTaskCancelled == true)
        modifier.resume.put()
        await passMainQueue()
        #expect(outcomes.count == 1 && bench.stub.liveTransfers == 0)
    }

    @Test(
        "A cancelled provider load ends with dataProviderCancelled", .behaviours("M-24"),
        arguments: [true, false])
    func cancelProvider(duringCheck: Bool) async throws {
        let latch = blockDisk()
        if !duringCheck { latch.open() }
        let outcomes = Inbox<RetryRig.Outcome>()
        let task = bench.manager.retrieveImage(
            with: .provider(PendingProvider()), options: options + [.callbackQueue(.untouch)]
        ) { outcomes.put($0) }
        if !duringCheck { try await bench.cache.settle() }
        try #require(task).cancel()
        #expect(outcomes.values.first.flatMap(reason) == "dataProviderCancelled")
        latch.open()
        try await bench.cache.settle()
        #expect(outcomes.count == 1)
    }

    @Test(
        "With onlyFromCache, a miss is imageNotExisting without a request, and a hit is delivered",
        .behaviours("M-24", "M-3"))
    func onlyFromCache() async throws {
        let missed = try await bench.retrieve(nil, options + [.onlyFromCache])
        #expect(reason(missed) == "imageNotExisting" && bench.stub.requests.isEmpty)
        try await bench.cache.storeToDisk(TestImages.png, forKey: bench.url.cacheKey)
        #expect(try await bench.retrieve(nil, options + [.onlyFromCache]).get().cacheType == .disk)
    }

    @Test("An original in a separate cache is processed without a request", .behaviours("M-24", "M-8"))
    func originalCache() async throws {
        let other = try Bench()
        try await other.cache.storeToDisk(TestImages.png, forKey: bench.url.cacheKey)
        let processor = CountingProcessor("p")
        let result = try await bench.retrieve(
            nil, options + [.processor(processor), .originalCache(other.cache)]
        ).get()
        #expect(result.cacheType == .none && processor.calls == 1 && bench.stub.requests.isEmpty)
    }
}
