import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// The stage that decodes files and runs processors, for inputs from every place.
@Suite struct ImageMakingTests {
    /// A tier whose reads wait for a gate.
    private struct GatedTier: CacheTier {
        let name = "gated"
        let deadlines = TierDeadlines(read: .seconds(60))
        let entry: TierEntry
        let gate = GatedProvider.Gate()

        func read(_ key: TierKey) async throws(TierError) -> TierReading {
            try? await gate.pass()
            return .hit(entry)
        }
        func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {}
        func remove(_ key: TierKey) async throws(TierError) {}
        func release(_ lease: TierLease, for key: TierKey) async {}
    }

    @Test("Concurrent requests of an entry in a tier read and decode it once")
    func tierHits() async throws {
        let rig = try SharingRig()
        let (tier, serializer) = (GatedTier(entry: TierEntry(data: try TestImages.png)), CountingSerializer())
        rig.manager.tiers = [tier]
        let called = await rig.call(20) { _ in
            [.cacheSerializer(serializer), .memoryCacheExpiration(.expired)]
        }
        _ = try await tier.gate.insertions.first()
        // Requests that ask the disk in the key queue join the read of the tier afterwards.
        try await rig.settle()
        tier.gate.open()
        let images = try await called.first(20).map { try $0.outcome.get().image }
        #expect(Set(images.map { ObjectIdentifier($0) }).count == 1)
        #expect(serializer.decoded == 1 && tier.gate.insertions.count == 1 && rig.stub.requests.isEmpty)
    }

    @Test("A stale file is not decoded if its server sends another image")
    func replacedFile() async throws {
        let rig = try FreshnessRig()
        let serializer = CountingSerializer()
        try await rig.loadAndAge()
        rig.cache.clearMemoryCache()
        try rig.serveAnother()
        try await rig.expect(.none, requests: 1, [.cacheSerializer(serializer)])
        #expect(serializer.decoded == 0)
    }

    @Test("An image that is delivered before its renewal holds no memory, and the renewal makes it fresh")
    func renewal() async throws {
        let rig = try FreshnessRig("max-age=60, stale-while-revalidate=1000")
        try await rig.loadAndAge()
        rig.cache.clearMemoryCache()
        rig.manager.memoryBudget = 1 << 20
        let gate = ServerGate()
        rig.serve { $0.gate = gate }
        let stale: FreshnessRig.Outcome = try await outcome {
            rig.manager.retrieveImage(with: rig.url, options: [.httpCaching], completionHandler: $0)
        }
        #expect(try stale.get().cacheType == .disk)
        #expect(await poll { gate.arrived == 1 })
        #expect(await poll { rig.manager.admission?.load.bytesInFlight == 0 })
        rig.serve { $0.gate = nil }
        gate.release()
        await rig.settle()
        #expect(await poll { rig.cache.traffic.count == 0 })
        try await rig.expect(.memory, requests: 0)
    }

    @Test("Cancelling all downloads also cancels those whose image is being made")
    func cancelledByDownloader() async throws {
        let (bench, valve) = (try Bench(), Valve())
        let processor = CountingProcessor("held") {
            valve.pass()
            return $0
        }
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        bench.manager.retrieveImage(
            with: bench.url, options: [.callbackQueue(.untouch), .processor(processor)]
        ) { inbox.put($0) }
        _ = try await valve.insertions.first()
        bench.downloader.cancelAll()
        valve.open()
        #expect(try await inbox.first().failure?.isTaskCancelled == true)
        try await bench.cache.settle()
        #expect(!bench.cache.imageCachedType(forKey: bench.url.cacheKey, processorIdentifier: "held").cached)
    }

    @Test("With a budget, the images of one input are made one after the other")
    func turns() async throws {
        let (bench, valve) = (try Bench(), Valve())
        bench.manager.memoryBudget = 1 << 20
        let provider = Source.provider(
            GatedProvider(cacheKey: "shared", gate: openGate, data: try TestImages.png))
        let running = Locked((now: 0, most: 0))
        let processors = ["a", "b", "c"].map { name in
            CountingProcessor(name) { image in
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                valve.pass()
                running.withLock { $0.now -= 1 }
                return image
            }
        }
        let queue = CallbackQueue.dispatch(DispatchQueue(label: "images", attributes: .concurrent))
        let inbox = Inbox<(name: String, outcome: Result<RetrieveImageResult, KingfisherError>)>()
        let tasks = processors.map { processor in
            bench.manager.retrieveImage(
                with: provider,
                options: [.callbackQueue(.untouch), .processor(processor), .processingQueue(queue)]
            ) { inbox.put((processor.identifier, $0)) }
        }
        _ = try await valve.insertions.first()
        // The second one has to wait for its turn, whichever that is, and gives it up.
        let idle = try #require(processors.firstIndex { $0.calls == 0 })
        tasks[idle]?.cancel()
        valve.open()
        let outcomes = try await inbox.first(3)
        for (name, outcome) in outcomes {
            #expect((reason(outcome) == nil) == (name != processors[idle].identifier))
        }
        #expect(processors.map(\.calls).sorted() == [0, 1, 1] && running.withLock(\.most) == 1)
        #expect(await poll { bench.manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    private var openGate: GatedProvider.Gate {
        let gate = GatedProvider.Gate()
        gate.open()
        return gate
    }
}
