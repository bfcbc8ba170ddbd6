import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@Suite struct ManagerAsyncTests {
    @Test("The async functions report the same cache types as the callbacks")
    func cacheTypes() async throws {
        let bench = try Bench()
        #expect(
            try await bench.manager.retrieveImage(with: bench.url, options: [.waitForCache]).cacheType
                == .none)
        #expect(try await bench.manager.retrieveImage(with: bench.url).cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await bench.manager.retrieveImage(with: Source.network(bench.url)).cacheType == .disk)
    }

    @Test(
        "50 tasks cancelled at random complete once each, with a cancellation or a result",
        .behaviours("M-21"))
    func randomCancels() async throws {
        let bench = try Bench()
        var generator = SystemRandomNumberGenerator()
        let tasks = (0..<50).map { _ in
            let url = Bench.freshURL()
            return Task { try await bench.manager.retrieveImage(with: url, options: [.waitForCache]) }
        }
        for task in tasks.shuffled(using: &generator) {
            for _ in 0..<Int.random(in: 0..<20, using: &generator) { await Task.yield() }
            task.cancel()
        }
        for task in tasks {
            switch await task.result {
            case .success: break
            case .failure(let error): #expect(isCancellation(error), "\(error)")
            }
        }
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("A cancel during the transfer throws a cancellation and stops the transfer", .behaviours("M-21"))
    func cancelInFlight() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let task = Task { try await bench.manager.retrieveImage(with: bench.url) }
        #expect(await poll { bench.stub.requests.count == 1 })
        task.cancel()
        guard case .failure(let error) = await task.result else {
            Issue.record("no error")
            return
        }
        #expect(isCancellation(error))
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("A task that is already cancelled throws CancellationError without a request", .behaviours("M-21"))
    func cancelledAtEntry() async throws {
        let bench = try Bench()
        let gate = Gate()
        let task = Task {
            await gate.pass()
            return try await bench.manager.retrieveImage(with: bench.url)
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A cancelled callback request completes once with taskCancelled", arguments: [false, true])
    func cancelCallback(beforeNetwork: Bool) async throws {
        let bench = try Bench()
        bench.stub.hold()
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let task = bench.manager.retrieveImage(with: bench.url) { inbox.put($0) }
        if !beforeNetwork { #expect(await poll { bench.stub.requests.count == 1 }) }
        try #require(task).cancel()
        #expect(try await inbox.first().failure?.isTaskCancelled == true)
        bench.stub.release()
        try await bench.cache.settle()
        #expect(await poll { bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test("Requests complete while the main queue is blocked")
    func mainQueueBlocked() async {
        // A separate process, so that other tests do not wait for the main queue.
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let block = try await MainQueueBlocker()
            defer { block.end() }

            let key = bench.url.cacheKey
            let fresh = try await bench.manager.retrieveImage(
                with: bench.url, options: [.waitForCache], progressBlock: { _, _ in })
            #expect(fresh.cacheType == .none)
            #expect(try await bench.manager.retrieveImage(with: bench.url).cacheType == .memory)
            bench.cache.clearMemoryCache()
            #expect(try await bench.manager.retrieveImage(with: bench.url).cacheType == .disk)
            #expect(try await bench.downloader.downloadImage(with: bench.url).originalData == TestImages.png)
            #expect(try await bench.cache.retrieveImage(forKey: key).cacheType == .memory)
            #expect(try await bench.cache.retrieveImageInDiskCache(forKey: key) != nil)
            #expect(await bench.cache.imageCachedTypeAsync(forKey: key) == .memory)
            try await bench.cache.store(TestImages.image, forKey: "more")
            #expect(try await bench.cache.diskStorageSize > 0)
            try await bench.cache.removeImage(forKey: "more")
            await bench.cache.cleanExpiredCache()
            await bench.cache.clearCache()
            let provided = RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")
            #expect(try await bench.manager.retrieveImage(with: .provider(provided)).cacheType == .none)
            let failed = await #expect(throws: KingfisherError.self) {
                _ = try await bench.manager.retrieveImage(with: Bench.freshURL(), options: [.onlyFromCache])
            }
            #expect(failed?.reasonName == "imageNotExisting")

            #expect(block.isHolding)
            block.end()
            #expect(try await block.wasReleased.first())
        }
    }

    private func isCancellation(_ error: any Error) -> Bool {
        if error is CancellationError { return true }
        let name = (error as? KingfisherError)?.reasonName
        return name == "taskCancelled" || name == "asyncTaskContextCancelled"
    }
}
