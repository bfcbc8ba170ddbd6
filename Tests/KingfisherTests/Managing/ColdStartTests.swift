import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency
@testable import KingfisherStorage

/// M-28: a request for an image in no cache has started when its call returns.
@Suite struct ColdStartTests {
    private func bench(_ hold: Latch? = nil) async throws -> Bench {
        let image = try TestImages.png
        let bench = try Bench { _ in
            _ = hold?.wait()
            return .ok(image)
        }
        bench.cache.diskStorage.config.filtersNames = true
        // Pending file system events of other tests may have to be read first.
        try #require(await poll { bench.cache.diskStorage.rulesOut("none", forcedExtension: nil) })
        return bench
    }

    private var processor: any ImageProcessor { RoundCornerImageProcessor(cornerRadius: 2) }

    @Test("The task has its download when the call returns", .behaviours("M-28"), arguments: [false, true])
    func task(withProcessor: Bool) async throws {
        let bench = try await bench()
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let options: KingfisherOptionsInfo = withProcessor ? [.processor(processor)] : []
        let task = bench.manager.retrieveImage(
            with: bench.url, options: options + [.callbackQueue(.untouch)]
        ) { inbox.put($0) }
        #expect(task?.isInitialized == true && task?.sessionTask != nil)
        #expect(try await inbox.first().get().cacheType == CacheType.none)
        #expect(bench.cache.diskStorage.statistics.misses == 1 + (withProcessor ? 2 : 1))
    }

    @Test(
        "The names of a new or emptied cache are known, so the task has its download when the call returns",
        .behaviours("M-28"), arguments: [false, true])
    func newCache(isEmptied: Bool) async throws {
        let bench = try Bench()
        let cache = try ImageCache(name: "new", cacheDirectoryURL: bench.folder.url)
        if isEmptied {
            try await cache.storeToDisk(try TestImages.png, forKey: "other")
            await cache.clearDiskCache()
        }
        let storage = cache.diskStorage
        #expect(storage.knowsNames)
        // Pending file system events of other tests may have to be read first.
        for _ in 0..<1_000 where !storage.rulesOut("none", forcedExtension: nil) {}
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let task = bench.manager.retrieveImage(
            with: bench.url, options: [.targetCache(cache), .callbackQueue(.untouch)]
        ) { inbox.put($0) }
        #expect(task?.isInitialized == true && task?.sessionTask != nil)
        _ = try await inbox.first().get()
    }

    @Test("A provider has been started when the call returns", .behaviours("M-28"))
    func provider() async throws {
        final class Provider: ImageDataProvider {
            let cacheKey = "provider"
            let starts = Locked(0)

            func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
                starts.withLock { $0 += 1 }
                handler(Result { try TestImages.png })
            }

            func data() async throws -> Data { try TestImages.png }
        }
        let bench = try await bench()
        let provider = Provider()
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        bench.manager.retrieveImage(with: .provider(provider), options: [.callbackQueue(.untouch)]) {
            inbox.put($0)
        }
        #expect(provider.starts.withLock { $0 } == 1)
        _ = try await inbox.first().get()
    }

    @Test("A view's download that another load supersedes completes and is cached", .behaviours("M-28"))
    @MainActor func superseded() async throws {
        let hold = Latch()
        let bench = try await bench(hold)
        let rig = ImageViewLoadingRig(bench)
        let view = ImageView()
        let first = rig.load(in: view)
        let second = rig.load(Bench.freshURL(), in: view)
        for _ in 0..<2 { hold.open() }
        let error = try await first.outcomes.first().failure
        guard case .imageSettingError(.notCurrentSourceTask(let result, _, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(result?.image != nil)
        _ = try await second.outcomes.first().get()
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test("A download that waits for memory has its task, too", .behaviours("M-28"))
    func admission() async throws {
        let hold = Latch()
        let bench = try await bench(hold)
        bench.manager.memoryBudget = 1 << 20
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let tasks = (0..<20).map { _ in
            bench.manager.retrieveImage(with: Bench.freshURL(), options: [.callbackQueue(.untouch)]) {
                inbox.put($0)
            }
        }
        #expect(tasks.allSatisfy { $0?.sessionTask != nil })
        for _ in tasks { hold.open() }
        #expect(try await inbox.first(20).allSatisfy { $0.failure == nil })
    }

    @Test(
        "The calling thread does not access the disk and never waits", .behaviours("M-28"),
        arguments: Caller.allCases
    )
    func callersThread(caller: Caller) async throws {
        let rig = try ThreadRig(filtersNames: true)
        try #require(await poll { rig.cache.diskStorage.rulesOut("none", forcedExtension: nil) })
        let seen = try await rig.request(from: caller, [.waitForCache])
        #expect(seen.succeeded && !seen.disk.isEmpty && !seen.network.isEmpty)
        #expect(!(seen.decoding + seen.disk + seen.network).contains(seen.caller))
    }

    @Test("A file stored by another process is found")
    func otherProcess() async throws {
        let bench = try await bench()
        let other = try ImageCache(name: "bench", cacheDirectoryURL: bench.folder.url)
        try await other.storeToDisk(try TestImages.png, forKey: bench.url.cacheKey)
        #expect(try await bench.retrieve().get().cacheType == .disk)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "A file that is being written is found without a download, also as an original",
        arguments: [false, true])
    func pendingWrite(ofOriginal: Bool) async throws {
        let bench = try await bench()
        let hold = Latch()
        bench.cache.diskQueue.run(key: bench.url.cacheKey) { _ = hold.wait() }
        bench.cache.storeToDisk(
            try TestImages.png, forKey: bench.url.cacheKey, callbackQueue: .untouch, completionHandler: nil)
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let options: KingfisherOptionsInfo = ofOriginal ? [.processor(processor)] : []
        let task = bench.manager.retrieveImage(
            with: bench.url, options: options + [.callbackQueue(.untouch)]
        ) { inbox.put($0) }
        #expect(task?.isInitialized == false)
        hold.open()
        #expect(try await inbox.first().get().cacheType == (ofOriginal ? .none : .disk))
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("Calls that do not load check the disk, so a wrong filter does not affect them")
    func cacheOnly() async throws {
        let bench = try await bench()
        try await bench.cache.storeToDisk(try TestImages.png, forKey: bench.url.cacheKey)
        // As if another host had written the file.
        _ = bench.cache.diskStorage.rulesOut("any", forcedExtension: nil)
        let accounting = bench.cache.diskStorage.engine.accounting
        accounting.beginScan()
        var empty = FolderTally.ScanResult()
        accounting.endScan(&empty)
        #expect(bench.cache.diskStorage.rulesOut(bench.url.cacheKey, forcedExtension: nil))
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
        #expect(bench.cache.imageCachedType(forKey: bench.url.cacheKey) == .disk)
        #expect(try await bench.retrieve(nil, [.onlyFromCache]).get().cacheType == .disk)
    }
}
