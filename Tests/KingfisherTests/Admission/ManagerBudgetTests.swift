import Foundation
import KingfisherImage
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Requests of a manager with a memory budget, over a stub transport.
@Suite struct ManagerBudgetTests {
    /// A PNG followed by zeros, which decoders ignore.
    private static func padded(to count: Int) throws -> Data {
        let png = try TestImages.png
        return png + Data(count: count - png.count)
    }

    /// Records the peak load while it observes.
    private final class LoadObserver: KingfisherEventObserver {
        private let budget: Int
        private let peak = Mutex((bytes: 0, queue: 0))
        private let refused = Mutex(0)

        init(budget: Int) {
            self.budget = budget
            KingfisherEvents.add(self)
        }

        var bytes: Int { peak.withLock(\.bytes) }
        var queue: Int { peak.withLock(\.queue) }
        var refusals: Int { refused.withLock { $0 } }

        func kingfisher(didReport event: KingfisherEvent) {
            switch event {
            case .admissionChanged(let bytes, let queue, budget):
                peak.withLock { $0 = (max($0.bytes, bytes), max($0.queue, queue)) }
            case .admissionRefused: refused.withLock { $0 += 1 }
            default: break
            }
        }
    }

    private func results(
        of count: Int, from bench: Bench, _ options: KingfisherOptionsInfo = []
    ) async throws -> [Result<RetrieveImageResult, KingfisherError>] {
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for _ in 0..<count {
            bench.manager.retrieveImage(
                with: Bench.freshURL(), options: [.callbackQueue(.untouch)] + options
            ) { inbox.put($0) }
        }
        return try await inbox.first(count)
    }

    /// A bench with a budget of `budget` bytes and no limit on connections.
    private func bench(
        budget: Int, _ answer: @escaping @Sendable (URLRequest) -> StubAnswer
    ) throws -> Bench {
        let bench = try Bench(answer)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1_000
        bench.downloader.sessionConfiguration = configuration
        bench.manager.memoryBudget = budget
        return bench
    }

    @Test("Concurrent bodies stay within the budget except for one request, and all requests succeed")
    func bodies() async throws {
        let budget = 2_500_001
        let body = try Self.padded(to: 1_000_000)
        let bench = try bench(budget: budget) { _ in .ok(body) }
        let observer = LoadObserver(budget: budget)
        let results = try await results(of: 40, from: bench)
        #expect(results.allSatisfy { reason($0) == nil })
        #expect(observer.bytes >= 2_000_000 && observer.bytes <= budget + 1_000_000, "\(observer.bytes)")
        #expect(observer.queue > 10)
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
        KingfisherEvents.remove(observer)
    }

    @Test("Downloads that share an HTTP/2 connection and wait for memory all succeed")
    func sharedConnection() async throws {
        let body = try Self.padded(to: 3_000_000)
        let nginx = try await NginxServer(
            files: Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0)", body) }))
        defer { nginx.stop() }
        let folder = try TemporaryFolder()
        let downloader = ImageDownloader(name: "multiplexed")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1_000
        downloader.sessionConfiguration = configuration
        downloader.tlsConfiguration.certificateAuthorities = [try Fixtures.data(named: "TLS/authority.pem")]
        let cache = try ImageCache(name: "multiplexed", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.memoryBudget = 7_000_007
        let observer = LoadObserver(budget: 7_000_007)
        defer { KingfisherEvents.remove(observer) }
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for index in 0..<40 {
            manager.retrieveImage(with: nginx.url("/\(index)"), options: [.callbackQueue(.untouch)]) {
                inbox.put($0)
            }
        }
        for result in try await inbox.first(40) { #expect(reason(result) == nil) }
        #expect(observer.queue > 10)
        #expect(await poll { nginx.log.count == 40 })
        #expect(Set(nginx.log.map(\.version)) == ["HTTP/2.0"])
        #expect(Set(nginx.log.map(\.connection)).count == 1)
    }

    @Test("Bodies of unknown length grow within the budget")
    func growingBodies() async throws {
        let budget = 3_000_002
        let body = try Self.padded(to: 2_000_000)
        let bench = try bench(budget: budget) { _ in StubAnswer(body: body) }
        let observer = LoadObserver(budget: budget)
        #expect(try await results(of: 20, from: bench).allSatisfy { reason($0) == nil })
        #expect(observer.bytes <= 2 * budget, "\(observer.bytes)")
        KingfisherEvents.remove(observer)
    }

    @Test("Without a budget nothing is counted")
    func noBudget() async throws {
        let bench = try Bench()
        #expect(bench.manager.memoryBudget == nil && bench.manager.admission == nil)
        #expect(try await results(of: 3, from: bench).allSatisfy { reason($0) == nil })
    }

    @Test("With a full queue a request fails with code 9001 and a retry delay as soon as it needs memory")
    func fullQueue() async throws {
        let body = try Self.padded(to: 1_000_000)
        let bench = try bench(budget: 1_100_003) { _ in .ok(body) }
        bench.manager.maximumQueueLength = 5
        let gate = DispatchSemaphore(value: 0)  // blocks the first image's decoding, never a test's thread
        let first = CountingProcessor("full queue") { image in
            gate.wait()
            return image
        }
        let queue = CallbackQueue.dispatch(DispatchQueue(label: "full queue"))
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let observer = LoadObserver(budget: 1_100_003)
        bench.manager.retrieveImage(
            with: Bench.freshURL(), options: [.processor(first), .processingQueue(queue)]
        ) { inbox.put($0) }
        #expect(await poll { first.calls == 1 })
        for _ in 0..<8 {
            bench.manager.retrieveImage(with: Bench.freshURL(), options: [.callbackQueue(.untouch)]) {
                inbox.put($0)
            }
        }
        let refused = try await inbox.first(3)
        for result in refused {
            let error = try #require(result.failure)
            #expect(error.errorCode == 9001 && error.retryAfter == 1)
            #expect(error.errorDescription?.contains("try again in 1 s") == true)
        }
        #expect(observer.refusals >= 3)
        gate.signal()
        #expect(try await inbox.first(9).dropFirst(3).allSatisfy { reason($0) == nil })
        KingfisherEvents.remove(observer)
    }

    @Test("Variants for other callers of a URL do not make an image that fits the budget fail")
    func manyVariants() async throws {
        let png = try TestImages.png
        let decoding = ImageCodecs.decodingMemory(of: png, scale: 1)
        let bench = try bench(budget: png.count + 3 * decoding) { _ in .ok(png) }
        bench.stub.hold()
        let url = Bench.freshURL()
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for number in 0..<20 {
            let processor = CountingProcessor("variant \(number)") { _ in try? Image(data: TestImages.png) }
            bench.manager.retrieveImage(
                with: url, options: [.callbackQueue(.untouch), .processor(processor)]
            ) { inbox.put($0) }
        }
        bench.stub.release()
        #expect(try await inbox.first(20).allSatisfy { reason($0) == nil })
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("An image larger than the whole budget fails from its header, with the required size in the error")
    func imageBeyondBudget() async throws {
        let png = try TestImages.png
        let decoding = ImageCodecs.decodingMemory(of: png, scale: 1)
        let bench = try bench(budget: png.count + decoding) { _ in .ok(png) }
        let processor = CountingProcessor("budget") { _ in Image() }
        let error = try #require(try await bench.retrieve(nil, [.processor(processor)]).failure)
        #expect(error.errorCode == 9002 && error.reasonName == "memoryBudgetExceeded")
        guard case .resourceError(.memoryBudgetExceeded(let required, let budget)) = error else {
            Issue.record("\(error)")
            return
        }
        // The processor reads one image and writes another.
        #expect(budget == png.count + decoding && required == png.count + 2 * decoding)
        #expect(processor.calls == 0)
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("A body whose announced length exceeds the budget is refused before it arrives")
    func bodyBeyondBudget() async throws {
        let body = try Self.padded(to: 100_000)
        let bench = try bench(budget: 50_000) { _ in .ok(body) }
        let error = try #require(try await bench.retrieve().failure)
        guard case .resourceError(.memoryBudgetExceeded(100_000, 50_000)) = error else {
            Issue.record("\(error)")
            return
        }
        let growing = try self.bench(budget: 50_000) { _ in StubAnswer(body: body) }
        #expect(try await growing.retrieve().failure?.errorCode == 9002)
    }

    @Test("A thumbnail fits the budget where the full image does not, as it reserves what it decodes")
    func thumbnail() async throws {
        let jpeg = try TestImages.jpeg
        let full = try #require(KFCrossPlatformImage(data: jpeg, scale: 1)).cacheCost
        let bench = try bench(budget: jpeg.count + full / 2) { _ in .ok(jpeg) }
        #expect(try await bench.retrieve(nil, [.cacheMemoryOnly]).failure?.errorCode == 9002)
        let small = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
        #expect(reason(try await bench.retrieve(nil, [.processor(small)])) == nil)
    }

    @Test("Of callers that share a transfer, only those whose image exceeds the budget fail")
    func sharedTransfer() async throws {
        let jpeg = try TestImages.jpeg
        let full = try #require(KFCrossPlatformImage(data: jpeg, scale: 1)).cacheCost
        let bench = try bench(budget: jpeg.count + full / 2) { _ in .ok(jpeg) }
        bench.stub.hold()
        let small = DownsamplingImageProcessor(size: CGSize(width: 16, height: 16))
        let inbox = Inbox<(name: String, code: Int?)>()
        for (name, options) in [("small", [.processor(small)]), ("full", []), ("again", [.processor(small)])]
            as [(String, KingfisherOptionsInfo)]
        {
            bench.manager.retrieveImage(with: bench.url, options: [.callbackQueue(.untouch)] + options) {
                inbox.put((name, $0.failure?.errorCode))
            }
        }
        #expect(await poll { bench.stub.requests.count == 1 })
        // By then the other callers have looked for a file and joined the transfer.
        try await bench.cache.settle()
        bench.stub.release()
        let results = try await inbox.first(3)
        #expect(results.filter { $0.code == nil }.map(\.name).sorted() == ["again", "small"])
        #expect(results.filter { $0.code == 9002 }.map(\.name) == ["full"])
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A transfer that fails while it waits for memory leaves the queue")
    func failureWhileWaiting() async throws {
        let body = try Self.padded(to: 1_000_000)
        let bench = try bench(budget: 1_100_006) { _ in .ok(body) }
        let gate = DispatchSemaphore(value: 0)  // blocks the first image's decoding, never a test's thread
        let first = CountingProcessor("failure") { image in
            gate.wait()
            return image
        }
        let queue = CallbackQueue.dispatch(DispatchQueue(label: "failure"))
        let inbox = Inbox<Int?>()
        bench.manager.retrieveImage(
            with: Bench.freshURL(), options: [.processor(first), .processingQueue(queue)]
        ) { inbox.put($0.failure?.errorCode) }
        #expect(await poll { bench.manager.admission?.load.bytesInFlight ?? 0 > 1_000_000 })
        bench.manager.retrieveImage(with: Bench.freshURL(), options: [.callbackQueue(.untouch)]) {
            inbox.put($0.failure?.errorCode)
        }
        #expect(await poll { bench.manager.admission?.waitingLoads == 1 })
        // Cancels the running transfers, as a new session does; the stub has to be invalidated explicitly.
        bench.stub.invalidate()
        #expect(try await inbox.first(1) == [2003])
        #expect(await poll { bench.manager.admission?.load.queueLength == 0 })
        gate.signal()
        _ = try await inbox.first(2)
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("Waiting loads resume by priority, then by arrival")
    func priorities() async throws {
        let body = try Self.padded(to: 1_000_000)
        let bench = try bench(budget: 1_100_004) { _ in .ok(body) }
        let inbox = Inbox<Int>()
        let gate = DispatchSemaphore(value: 0)  // blocks the first image's decoding, never a test's thread
        let first = CountingProcessor("first") { image in
            gate.wait()
            return image
        }
        let queue = CallbackQueue.dispatch(DispatchQueue(label: "priorities"))
        bench.manager.retrieveImage(
            with: Bench.freshURL(), options: [.processor(first), .processingQueue(queue)]
        ) { _ in inbox.put(0) }
        #expect(await poll { bench.manager.admission?.load.bytesInFlight ?? 0 > 0 })
        for (number, priority) in [(1, Float(0.2)), (2, 0.5), (3, 0.9), (4, 0.5)] {
            bench.manager.retrieveImage(
                with: Bench.freshURL(),
                options: [.downloadPriority(priority), .callbackQueue(.untouch), .processingQueue(queue)]
            ) { _ in inbox.put(number) }
            #expect(await poll { bench.manager.admission?.load.queueLength == number })
        }
        #expect(await poll { bench.manager.admission?.waitingLoads == 4 })
        gate.signal()
        #expect(try await inbox.first(5).filter { $0 > 0 } == [3, 2, 4, 1])
    }

    @Test("A cancelled request releases its memory immediately, both while it waits and while it is queued")
    func cancellation() async throws {
        let body = try Self.padded(to: 1_000_000)
        let bench = try bench(budget: 2_000_005) { _ in .ok(body) }
        let gate = DispatchSemaphore(value: 0)  // blocks the processing queue, never a test's thread
        let queue = DispatchQueue(label: "cancellation")
        queue.async { gate.wait() }
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let tasks = (0..<6).map { _ in
            bench.manager.retrieveImage(
                with: Bench.freshURL(),
                options: [.callbackQueue(.untouch), .processingQueue(.dispatch(queue))]
            ) { inbox.put($0) }
        }
        #expect(await poll { bench.manager.admission?.load.bytesInFlight ?? 0 > 1_000_000 })
        for task in tasks { task?.cancel() }
        #expect(try await inbox.first(6).allSatisfy { $0.failure?.isTaskCancelled == true })
        #expect(await poll { bench.stub.liveTransfers == 0 })
        gate.signal()
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("A download cancelled while its data waits to be decoded releases the memory immediately")
    func cancelledBeforeDecoding() async throws {
        let body = try Self.padded(to: 600_000)
        let bench = try bench(budget: 2 * body.count) { _ in .ok(body) }
        let gate = DispatchSemaphore(value: 0)  // blocks a decode, never a test's thread
        let held = CountingProcessor("held") { image in
            gate.wait()
            return image
        }
        let queue = CallbackQueue.dispatch(DispatchQueue(label: "decoding", attributes: .concurrent))
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let tasks = (0..<2).map { _ in
            bench.manager.retrieveImage(
                with: Bench.freshURL(),
                options: [.callbackQueue(.untouch), .processor(held), .processingQueue(queue)]
            ) { inbox.put($0) }
        }
        #expect(await poll { held.calls == 1 && bench.manager.admission?.waitingLoads == 1 })
        for task in tasks { task?.cancel() }
        #expect(
            await poll(upTo: .seconds(5)) {
                bench.manager.admission?.load.bytesInFlight ?? 0 < 2 * body.count
            })
        gate.signal()
        let outcomes = try await inbox.first(2)
        #expect(
            outcomes.allSatisfy { $0.failure?.isTaskCancelled == true },
            "\(outcomes.map { String(describing: $0.failure) })")
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
        #expect(held.calls == 1)
    }

    @Test("A manager for servers has a budget of an eighth of the memory, at most 256 MiB, and settable")
    func servers() throws {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "servers", cacheDirectoryURL: folder.url)
        let expected = min(MemoryBudget.current.share(oneIn: 8), 256 << 20)
        #expect(KingfisherManager.forServers(cache: cache).memoryBudget == expected)
        #expect(KingfisherManager.forServers(cache: cache, memoryBudget: 7).memoryBudget == 7)
        #expect(KingfisherManager(downloader: ImageDownloader(name: "own"), cache: cache).memoryBudget == nil)
    }
}
