import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

@Suite @MainActor struct ImageViewLoadingCancelTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }

    init() throws { rig = try ImageViewLoadingRig() }

    @Test(
        "cancelDownloadTask ends a download with taskCancelled, and the placeholder stays",
        .behaviours("V-16"))
    func download() async throws {
        let placeholder = try Image.blank()
        let load = await rig.hold { rig.load(placeholder: placeholder) }
        view.kf.cancelDownloadTask()
        #expect(try await load.result().failure?.isTaskCancelled == true)
        #expect(view.image === placeholder && view.kf.taskIdentifier == nil)
        let stub = rig.bench.stub
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        stub.release()
        #expect(!rig.bench.cache.isCached(forKey: rig.bench.url.cacheKey))
    }

    @Test("Cancelling the task of setImage ends the download with taskCancelled", .behaviours("V-16"))
    func returnedTask() async throws {
        let load = await rig.hold { rig.load() }
        try #require(load.task).cancel()
        #expect(try await load.result().failure?.isTaskCancelled == true)
        #expect(view.kf.taskIdentifier == nil)
    }

    @Test(
        "A cancelled provider ends with dataProviderCancelled", .behaviours("V-16"), arguments: [false, true])
    func provider(byTask: Bool) async throws {
        let provider = PendingProvider()
        let load = rig.load(.provider(provider))
        _ = try await provider.asked.first()
        if byTask { load.task?.cancel() } else { view.kf.cancelDownloadTask() }
        let error = try #require(try await load.result().failure)
        guard case .requestError(.dataProviderCancelled(let cancelled)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(cancelled.cacheKey == "silent" && !error.isTaskCancelled && !error.isNotCurrentTask)
    }

    @Test(
        "cancelDownloadTask stops a load from disk before deserialising, promoting or downloading",
        .behaviours("S-6"))
    func disk() async throws {
        try await rig.storeOnDisk(rig.bench.url)
        let (cache, key) = (rig.bench.cache, rig.bench.url.cacheKey)
        let (hold, serializer) = (Latch(), CountingSerializer())
        cache.diskQueue.run(key: key) { _ = hold.wait() }
        let load = rig.load([.cacheSerializer(serializer)])
        view.kf.cancelDownloadTask()
        #expect(load.outcomes.values.map { $0.failure?.isTaskCancelled } == [true])
        hold.open()
        try await cache.settle()
        _ = try await load.result()
        #expect(serializer.decoded == 0 && cache.retrieveImageInMemoryCache(forKey: key) == nil)
        #expect(view.image == nil && rig.bench.stub.requests.count == 1)
    }

    /// Stores its blocks until the test runs them. No thread waits.
    private final class HeldQueue: CallbackOperationQueue {
        let blocks = Inbox<@Sendable () -> Void>()
        var underlyingQueue: DispatchQueue? { nil }

        func addOperation(_ block: @Sendable @escaping () -> Void) { blocks.put(block) }

        /// Returns when all blocks have run.
        func run() async {
            for block in blocks.values {
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async {
                        block()
                        continuation.resume()
                    }
                }
            }
        }
    }

    @Test("Cancelling after the last byte completes immediately and skips the processor")
    func processing() async throws {
        let (queue, processor) = (HeldQueue(), CountingProcessor("p"))
        let load = rig.load([.processor(processor), .processingQueue(.operationQueue(queue))])
        _ = try await queue.blocks.first()
        view.kf.cancelDownloadTask()
        #expect(load.outcomes.values.map { $0.failure?.isTaskCancelled } == [true])
        await queue.run()
        _ = try await load.result()
        #expect(view.image == nil && processor.calls == 0)
    }

    @Test("Cancelling a view without a load has no effect")
    func nothingToCancel() async throws {
        view.kf.cancelDownloadTask()
        let load = rig.load()
        let image = try await load.result().get().image
        view.kf.cancelDownloadTask()
        load.task?.cancel()
        _ = try await load.result()
        #expect(view.image === image)
    }

    @Test("Cancelling stops the current load and none that it superseded")
    func onlyTheCurrent() async throws {
        let old = await rig.hold { rig.load() }
        let new = await rig.hold { rig.load(Bench.freshURL()) }
        view.kf.cancelDownloadTask()
        #expect(try await new.result().failure?.isTaskCancelled == true)
        rig.bench.stub.release()
        #expect(try await old.result().superseded?.result != nil)
        #expect(view.image == nil)
    }

    @Test("Three cancelled loads of one view are three failures", .behaviours("V-5"))
    func threeCancelled() async throws {
        var loads: [ImageViewLoadingRig.Load] = []
        for _ in 0..<3 { loads.append(await rig.hold { rig.load(Bench.freshURL()) }) }
        for load in loads { load.task?.cancel() }
        for load in loads.dropLast() {
            #expect(try await load.result().superseded?.error?.isTaskCancelled == true)
        }
        #expect(try await loads[2].result().failure?.isTaskCancelled == true)
        #expect(view.image == nil)
    }

    @Test("Cancelling the first of three loads of one URL in two views leaves the others", .behaviours("V-5"))
    func oneOfThree() async throws {
        let other = ImageView()
        let first = await rig.hold { rig.load() }
        let second = await rig.hold { rig.load(in: rig.other) }
        let third = await rig.hold { rig.load(in: other) }
        first.task?.cancel()
        #expect(try await first.result().failure?.isTaskCancelled == true)
        rig.bench.stub.release()
        _ = try await second.result().get()
        let image = try await third.result().get().image
        #expect(other.image === image && view.image == nil)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test(
        "Cancelling the first of three loads leaves the others, also if two belong to one view",
        .behaviours("V-5"))
    func oneOfThreeInOneView() async throws {
        let other = ImageView()
        let first = await rig.hold { rig.load() }
        let second = await rig.hold { rig.load() }
        let third = await rig.hold { rig.load(in: other) }
        first.task?.cancel()
        #expect(try await first.result().superseded?.error?.isTaskCancelled == true)
        rig.bench.stub.release()
        let image = try await second.result().get().image
        #expect(view.image === image)
        _ = try await third.result().get()
        #expect(other.image != nil && rig.bench.stub.requests.count == 1)
    }
}
