import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

struct TierTests {
    /// A manager with a new cache, over tiers of others.
    private func machine(_ tiers: [any CacheTier], over bench: Bench) throws -> Bench {
        let machine = try Bench(serving: try TestImages.png)
        machine.manager.downloader = bench.downloader
        machine.manager.tiers = tiers
        return machine
    }

    private func key(_ url: URL, _ identifier: String = "") -> TierKey {
        TierKey(cacheKey: url.cacheKey, processorIdentifier: identifier)
    }

    @Test("An image made by one machine reaches another from the tier, and its disk and memory")
    func sharing() async throws {
        let (tier, bench) = (MemoryTier(), try Bench())
        let processor = CountingProcessor("p")
        let options: KingfisherOptionsInfo = [.processor(processor), .tags(["a"])]
        let machines = [try machine([tier], over: bench), try machine([tier], over: bench)]
        defer { withExtendedLifetime(machines) {} }
        let made = try await machines[0].retrieve(bench.url, options).get()
        #expect(await poll { tier.entries[key(bench.url, "p")] != nil })
        let entry = try #require(tier.entries[key(bench.url, "p")])
        #expect(entry.mediaType == "image/png" && entry.tags == ["a"] && entry.isIntact)

        let found = try await machines[1].retrieve(bench.url, options).get()
        #expect(made.cacheType == .none && found.cacheType == .disk)
        #expect(samePixels(made.image, found.image))
        #expect(processor.calls == 1 && bench.stub.requests.count == 1)
        try await machines[1].cache.settle()
        let stored: Data? = try machines[1].cache.diskStorage.value(
            forKey: bench.url.cacheKey.computedKey(with: "p"))
        #expect(stored == entry.data)
        #expect(try await machines[1].retrieve(bench.url, options).get().cacheType == .memory)
        #expect(try await machines[1].cache.removeImages(tagged: ["a"]) == 1)
        #expect(tier.reads.count == 2)
    }

    @Test("Concurrent requests read the tier once")
    func coalescing() async throws {
        let tier = MemoryTier()
        tier.behaviour.delay = .milliseconds(30)
        let bench = try Bench(over: tier)
        let inbox = Inbox<Bool>()
        for _ in 0..<50 {
            bench.manager.retrieveImage(with: bench.url, options: [.callbackQueue(.untouch)]) {
                inbox.put((try? $0.get()) != nil)
            }
        }
        #expect(try await inbox.first(50).allSatisfy { $0 })
        #expect(tier.reads.count == 1 && bench.stub.requests.count == 1)
    }

    @Test("forceRefresh and fromMemoryCacheOrRefresh read no tier, and cacheMemoryOnly writes none")
    func options() async throws {
        let tier = MemoryTier()
        let bench = try Bench(over: tier)
        _ = try await bench.retrieve(nil, [.fromMemoryCacheOrRefresh, .cacheMemoryOnly]).get()
        _ = try await bench.retrieve(nil, [.forceRefresh, .cacheMemoryOnly]).get()
        try await bench.cache.settle()
        #expect(tier.reads.isEmpty && tier.writes.isEmpty && bench.stub.requests.count == 2)
        _ = try await bench.retrieve(nil, [.forceRefresh]).get()
        #expect(await poll { tier.writes.count == 1 })
    }

    @Test("onlyFromCache finds an entry of a tier, and fails without one")
    func onlyFromCache() async throws {
        let tier = MemoryTier()
        let bench = try Bench(over: tier)
        #expect(reason(try await bench.retrieve(nil, [.onlyFromCache])) == "imageNotExisting")
        tier.entries[key(bench.url)] = TierEntry(data: try TestImages.png)
        #expect(try await bench.retrieve(nil, [.onlyFromCache]).get().cacheType == .disk)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("Errors, missed deadlines, corruption and expiry are misses", arguments: 0..<5)
    func misses(_ number: Int) async throws {
        let isLate = number == 1 || number == 2
        let tier = isLate ? MemoryTier(deadlines: TierDeadlines(read: .milliseconds(50))) : MemoryTier()
        let bench = try Bench(over: tier)
        let key = key(bench.url)
        let png = try TestImages.png
        tier.entries[key] = TierEntry(data: png)
        let observer = EventCollector(of: bench.url)
        var reason = ""
        switch number {
        case 0: (tier.behaviour.failure, reason) = (.unavailable(CancellationError()), "unavailable")
        case 1: (tier.behaviour.isStuck, reason) = (true, "deadline")
        case 2: (tier.behaviour.delay, reason) = (.seconds(5), "deadline")
        case 3: (tier.entries[key], reason) = (TierEntry(data: png, checksum: 1), "corrupt")
        default: (tier.entries[key], reason) = (TierEntry(data: png, expiration: Date()), "expired")
        }
        let start = ContinuousClock.now
        #expect(try await bench.retrieve().get().cacheType == .none)
        #expect(ContinuousClock.now - start < .seconds(4 * ProcessStatus.slowness))
        #expect(observer.tierMisses == [reason])
        #expect(bench.stub.requests.count == 1)
        // The corrupt and the expired entry are replaced by the new one.
        if number > 2 { #expect(await poll { tier.entries[key]?.isIntact == true }) }
    }

    @Test("An entry that no codec can decode is ignored")
    func undecodable() async throws {
        let tier = MemoryTier()
        let bench = try Bench(over: tier)
        tier.entries[key(bench.url)] = TierEntry(data: TestImages.garbage)
        #expect(try await bench.retrieve().get().cacheType == .none)
        #expect(await poll { tier.entries[key(bench.url)]?.data.count ?? 0 > 3 })
    }

    @Test("A hit in the lower of two tiers fills the upper one")
    func order() async throws {
        let (upper, lower) = (MemoryTier(name: "upper"), MemoryTier(name: "lower"))
        let bench = try Bench(over: upper, lower)
        lower.entries[key(bench.url)] = TierEntry(data: try TestImages.png)
        #expect(try await bench.retrieve().get().cacheType == .disk)
        #expect(await poll { upper.entries[key(bench.url)] == lower.entries[key(bench.url)] })
        #expect(lower.writes.isEmpty)
    }

    @Test("The write uses the lease of the miss")
    func lease() async throws {
        let tier = MemoryTier.leasing
        let bench = try Bench(over: tier)
        _ = try await bench.retrieve().get()
        #expect(await poll { !tier.entries.isEmpty })
        #expect(tier.leasedKeys.isEmpty && tier.releases.isEmpty)
    }

    @Test("A lease is released if nothing is written", arguments: 0..<3)
    func unusedLease(_ number: Int) async throws {
        let tier = MemoryTier.leasing
        let bench = try Bench { _ in StubAnswer(status: 404) }
        bench.manager.tiers = [tier]
        switch number {
        case 0: #expect(reason(try await bench.retrieve()) == "invalidHTTPStatusCode")
        case 1: #expect(reason(try await bench.retrieve(nil, [.onlyFromCache])) == "imageNotExisting")
        default:
            bench.stub.hold()
            let inbox = Inbox<Void>()
            let task = bench.manager.retrieveImage(with: bench.url) { _ in inbox.put() }
            #expect(await poll { !bench.stub.requests.isEmpty })
            task?.cancel()
            try await inbox.first()
        }
        #expect(await poll { tier.releases == [key(bench.url)] && tier.leasedKeys.isEmpty })
    }

    /// A tier that another machine fills between the first two readings.
    private struct FilledTier: CacheTier {
        let memory = MemoryTier()
        let entry: TierEntry
        var name: String { memory.name }
        var deadlines: TierDeadlines { memory.deadlines }

        func read(_ key: TierKey) async throws(TierError) -> TierReading {
            if memory.reads.count == 1 { memory.entries[key] = entry }
            return try await memory.read(key)
        }

        func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {
            try await memory.write(entry, for: key, lease: lease)
        }

        func remove(_ key: TierKey) async throws(TierError) { try await memory.remove(key) }

        func release(_ lease: TierLease, for key: TierKey) async { await memory.release(lease, for: key) }
    }

    @Test("While another machine makes an image, the tier is read again until it has the image")
    func busy() async throws {
        let tier = FilledTier(entry: TierEntry(data: try TestImages.png))
        tier.memory.behaviour.givesLeases = true
        let bench = try Bench(over: tier)
        tier.memory.lease(key(bench.url))
        #expect(try await bench.retrieve().get().cacheType == .disk)
        #expect(bench.stub.requests.isEmpty && tier.memory.reads.count == 2)
    }

    @Test("If the other machine never finishes, the image is made locally within about a second")
    func busyForEver() async throws {
        let tier = MemoryTier.leasing
        let bench = try Bench(over: tier)
        tier.lease(key(bench.url))
        let start = ContinuousClock.now
        #expect(try await bench.retrieve().get().cacheType == .none)
        let took = ContinuousClock.now - start
        #expect(took > .milliseconds(600) && took < .seconds(5 * ProcessStatus.slowness), "\(took)")
        #expect(tier.reads.count == 6)
    }

    @Test("A cancelled request stops polling a busy tier")
    func busyAndCancelled() async throws {
        let tier = MemoryTier.leasing
        let bench = try Bench(over: tier)
        tier.lease(key(bench.url))
        let outcome = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let task = bench.manager.retrieveImage(with: bench.url) { outcome.put($0) }
        #expect(await poll { tier.reads.count > 0 })
        let reads = tier.reads.count
        task?.cancel()
        let result = try await outcome.first()
        #expect(throws: KingfisherError.self) { try result.get() }
        // One read may be active; the remaining ones would follow immediately, without pauses.
        try await Task.sleep(for: .milliseconds(50))
        #expect(tier.reads.count <= reads + 1)
    }

    @Test("A stale entry is used immediately and renewed in the background with a lease")
    func stale() async throws {
        let tier = MemoryTier.leasing
        let bench = try Bench(serving: try TestImages.jpeg)
        bench.manager.tiers = [tier]
        let key = key(bench.url)
        tier.entries[key] = TierEntry(data: try TestImages.png)
        tier.staleKeys = [key]
        let result = try await bench.retrieve().get()
        #expect(result.cacheType == .disk && result.image.size == TestImages.pngSize)
        let jpeg = try TestImages.jpeg
        #expect(await poll { tier.entries[key]?.mediaType == "image/jpeg" }, "\(jpeg.count)")
        #expect(tier.staleKeys.isEmpty && tier.leasedKeys.isEmpty && bench.stub.requests.count == 1)
    }

    @Test("A stale entry without a lease is used, and its source is not asked")
    func staleElsewhere() async throws {
        let tier = MemoryTier()
        let bench = try Bench(over: tier)
        tier.entries[key(bench.url)] = TierEntry(data: try TestImages.png)
        tier.staleKeys = [key(bench.url)]
        #expect(try await bench.retrieve().get().cacheType == .disk)
        try await bench.cache.settle()
        #expect(bench.stub.requests.isEmpty)
        // The next request gets the image of the other machine.
        #expect(bench.filesOnDisk.isEmpty && !bench.cache.isCached(forKey: bench.url.cacheKey))
    }

    @Test("A file from a tier expires on disk no later than in the tier")
    func expiration() async throws {
        let tier = MemoryTier()
        let bench = try Bench(over: tier)
        tier.entries[key(bench.url)] = TierEntry(data: try TestImages.png, expiration: Date() + 60)
        _ = try await bench.retrieve().get()
        try await bench.cache.settle()
        let entry = try #require(try bench.cache.diskStorage.entries().first)
        #expect(entry.expiration < Date() + 61)
    }

    @Test("A negative entry ends the request with its status, or proceeds to the next source")
    func negative() async throws {
        let tier = MemoryTier()
        let bench = try Bench(over: tier)
        let failure = TierFailure(statusCode: 404, expiration: Date() + 30)
        tier.failures[key(bench.url)] = failure
        let error = try await bench.retrieve().failure
        guard case .resourceError(.knownFailure(404, let seconds)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(seconds > 20 && seconds <= 30 && error?.retryAfter == seconds)
        #expect(error?.errorCode == 9004 && error?.localizedDescription.contains("404") == true)
        let other = Bench.freshURL()
        let result = try await bench.retrieve(
            nil, [.alternativeSources([.network(other)])])
        #expect(try result.get().source.url == other)
        tier.failures[key(bench.url)] = TierFailure(statusCode: 404, expiration: Date())
        #expect(try await bench.retrieve().get().source.url == bench.url)
    }

    @Test("Originals are read from and written to tiers that store them")
    func originals() async throws {
        let tier = MemoryTier(keepsOriginals: true)
        let bench = try Bench()
        let machines = [try machine([tier], over: bench), try machine([tier], over: bench)]
        let processors = [CountingProcessor("p"), CountingProcessor("q")]
        _ = try await machines[0].retrieve(
            bench.url, [.processor(processors[0]), .cacheOriginalImage]
        ).get()
        #expect(await poll { tier.entries.count == 2 })
        let png = try TestImages.png
        #expect(tier.entries[key(bench.url)]?.data == png)
        let result = try await machines[1].retrieve(bench.url, [.processor(processors[1])]).get()
        #expect(result.cacheType == .none && processors[1].calls == 1)
        #expect(bench.stub.requests.count == 1)
        #expect(await poll { machines[1].cache.imageCachedType(forKey: bench.url.cacheKey) == .disk })
    }

    @Test("An image with freshness information is revalidated after it expires")
    func freshness() async throws {
        let rig = try FreshnessRig()
        let tier = MemoryTier()
        rig.manager.tiers = [tier]
        _ = try await rig.retrieve().get()
        #expect(await poll { tier.entries.count == 1 })
        rig.cache.clearMemoryCache()
        await rig.cache.clearDiskCache()
        try await rig.expect(.disk, requests: 0)
        await rig.cache.clearCache()
        rig.clock.advance(by: 61)
        try await rig.expect(.disk, requests: 1)
        #expect(rig.askedTags == [nil, "\"1\""])
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0)
    }

    @Test("A tier that never completes queues at most 256 writes")
    func boundedQueue() async throws {
        let stuck = StuckQueue()
        let entry = TierEntry(data: Data(count: 1_000))
        for number in 0..<1_000 { stuck.queue.write(entry, for: stuck.key(number), lease: nil) }
        #expect(await poll { !stuck.tier.writes.isEmpty })
        #expect((743...744).contains(stuck.dropped))
        stuck.queue.write(TierEntry(data: Data(count: 33 << 20)), for: stuck.key(1_000), lease: nil)
        #expect(stuck.dropped == 1_000)
    }

    @Test("A lease that arrives late is released")
    func lateLease() async throws {
        let tier = LateTier()
        let stack = TierStack([tier])
        guard case .absent(let leases) = await stack.read(TierKey(cacheKey: "key"), by: WallClock()) else {
            Issue.record("expected a miss")
            return
        }
        #expect(leases?.isEmpty == true)
        tier.gate.put()
        #expect(await poll { tier.released.count == 1 })
    }

    @Test("Cancelling a request cancels the read of the tier and completes immediately")
    func cancellation() async throws {
        let tier = MemoryTier()
        tier.behaviour.delay = .seconds(60)
        let bench = try Bench(over: tier)
        let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        let task = bench.manager.retrieveImage(with: bench.url) { inbox.put($0) }
        #expect(await poll { tier.reads.count == 1 })
        task?.cancel()
        #expect(try await inbox.first().failure?.isTaskCancelled == true)
        #expect(await poll { bench.cache.shared.tierReads.count == 0 })
        #expect(bench.stub.requests.isEmpty)
    }
}

/// A tier that gives its lease after the deadline.
private final class LateTier: CacheTier {
    let name = "late"
    let deadlines = TierDeadlines(read: .milliseconds(20))
    let gate = Inbox<Void>()
    let released = Inbox<TierLease>()

    func read(_ key: TierKey) async throws(TierError) -> TierReading {
        _ = try? await gate.first()
        return .absent(TierLease(token: "1"))
    }

    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {}
    func remove(_ key: TierKey) async throws(TierError) {}
    func release(_ lease: TierLease, for key: TierKey) async { released.put(lease) }
}
