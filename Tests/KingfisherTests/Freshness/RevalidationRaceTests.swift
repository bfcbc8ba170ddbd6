import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Changes of a cached image while it is being revalidated.
@Suite struct RevalidationRaceTests {
    private typealias Outcome = FreshnessRig.Outcome

    enum Reply: CaseIterable {
        case unmodified, failure
    }

    /// Revalidates a stale image that is on disk only, and calls `change` before the server responds.
    private func revalidate(
        _ rig: FreshnessRig, _ options: KingfisherOptionsInfo = [], reply: Reply = .unmodified,
        during change: () async throws -> Void
    ) async throws -> Outcome {
        rig.cache.clearMemoryCache()
        let (gate, inbox) = (ServerGate(), Inbox<Outcome>())
        rig.serve {
            $0.gate = gate
            if reply == .failure { $0.status = 503 }
        }
        rig.manager.retrieveImage(with: rig.url, options: [.httpCaching] + options) { inbox.put($0) }
        #expect(await poll { gate.arrived == 1 })
        rig.serve { ($0.gate, $0.status) = (nil, nil) }
        try await change()
        gate.release()
        return try await inbox.first()
    }

    @Test(
        "An image stored during revalidation remains in memory and on disk", arguments: Reply.allCases,
        [false, true])
    func replaced(reply: Reply, inMemoryOnly: Bool) async throws {
        let rig = try FreshnessRig("max-age=60, stale-if-error=100")
        try await rig.loadAndAge()
        let newer = try Image.blank()
        let old = try await revalidate(rig, reply: reply) {
            try await rig.cache.store(newer, forKey: rig.key, toDisk: !inMemoryOnly)
        }
        #expect(try old.get().image.size == TestImages.pngSize)
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: rig.key) === newer)
    }

    @Test("An image removed during revalidation stays removed", arguments: Reply.allCases)
    func removed(reply: Reply) async throws {
        let rig = try FreshnessRig("max-age=60, stale-if-error=100")
        try await rig.loadAndAge()
        let old = try await revalidate(rig, reply: reply) { try await rig.cache.removeImage(forKey: rig.key) }
        #expect(try old.get().image.size == TestImages.pngSize)
        try await rig.cache.settle()
        #expect(rig.cache.imageCachedType(forKey: rig.key) == .none)
    }

    @Test("A processed image stored during the revalidation of its original remains")
    func replacedProcessed() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let newer = try Image.blank()
        let made = try await revalidate(rig, [.processor(CountingProcessor("p"))]) {
            try await rig.cache.store(newer, forKey: rig.key, processorIdentifier: "p")
        }
        #expect(try made.get().image !== newer)
        let processed: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: rig.key, options: processed) === newer)
    }

    @Test("An original removed during revalidation stores no processed image", arguments: [false, true])
    func removedOriginal(isRemoved: Bool) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let made = try await revalidate(rig, [.processor(CountingProcessor("p")), .waitForCache]) {
            if isRemoved { try await rig.cache.removeImage(forKey: rig.key) }
        }
        #expect(try made.get().image.size == TestImages.pngSize)
        #expect(rig.cache.isCached(forKey: rig.key, processorIdentifier: "p") == !isRemoved)
    }

    @Test("A 304 or a 404 for the old image does not remove a newer one", arguments: [false, true])
    func notRemoved(isGone: Bool) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let newer = try Image.blank()
        rig.cache.clearMemoryCache()
        let (gate, inbox) = (ServerGate(), Inbox<Outcome>())
        rig.serve {
            $0.gate = gate
            if isGone { $0.status = 404 } else { $0.fields = [("Cache-Control", "no-store")] }
        }
        rig.manager.retrieveImage(with: rig.url, options: [.httpCaching]) { inbox.put($0) }
        #expect(await poll { gate.arrived == 1 })
        try await rig.cache.store(newer, forKey: rig.key)
        gate.release()
        _ = try await inbox.first()
        try await rig.cache.settle()
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: rig.key) === newer)
        #expect(rig.cache.diskStorage.isCached(forKey: rig.key))
    }

    @Test("A request superseded during revalidation fails and puts nothing into memory")
    func stale() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        rig.cache.clearMemoryCache()
        let (gate, inbox, isCurrent) = (ServerGate(), Inbox<Outcome>(), Locked(true))
        rig.serve { $0.gate = gate }
        rig.manager.retrieveImage(
            RequestPlan(
                Source.network(rig.url), KingfisherParsedOptionsInfo([.httpCaching]),
                isCurrent: { isCurrent.withLock { $0 } })
        ) { inbox.put($0) }
        #expect(await poll { gate.arrived == 1 })
        isCurrent.withLock { $0 = false }
        gate.release()
        #expect(reason(try await inbox.first()) == "imageNotExisting")
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: rig.key) == nil)
    }

    @Test("An original that cannot be decoded after its 304 is downloaded whole")
    func unreadableOriginal() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let records = try #require(try rig.records())
        try rig.cache.diskStorage.store(
            Data("no image".utf8), forKey: rig.key, expiration: nil, forcedExtension: nil, records: records)
        rig.cache.clearMemoryCache()
        let image = try await rig.expect(.none, requests: 2, [.processor(CountingProcessor("p"))])
        #expect(image.size == TestImages.pngSize)
        #expect(rig.askedTags == [nil, "\"1\"", nil])
    }

    @Test("A slowly processed image of a stale original does not overwrite the new one")
    func slowProcessing() async throws {
        let rig = try FreshnessRig("max-age=60, stale-while-revalidate=30")
        try await rig.loadAndAge()
        try rig.serveAnother()
        let (valve, isFirst, oldSize) = (Valve(), Locked(true), TestImages.pngSize)
        defer { valve.open() }
        let processor = CountingProcessor("p") { image in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if waits { valve.pass() }
            return image
        }
        let inbox = Inbox<Outcome>()
        // On a concurrent queue, as the renewed image is processed on the same queue.
        rig.manager.retrieveImage(
            with: rig.url,
            options: [
                .httpCaching, .processor(processor), .processingQueue(.dispatch(.global())), .waitForCache,
            ]
        ) { inbox.put($0) }
        _ = try await valve.insertions.first()
        #expect(rig.server.requestCount() == 1)
        valve.open()
        #expect(try await inbox.first().get().image.size == oldSize)
        let (cache, key) = (rig.cache, rig.key)
        let options: KingfisherOptionsInfo = [.processor(processor)]
        #expect(
            await poll {
                let size = cache.retrieveImageInMemoryCache(forKey: key, options: options)?.size
                return size != nil && size != oldSize
            })
        let downloader = rig.downloader
        #expect(await poll { downloader.transfers.withLock(\.isEmpty) })
        try await cache.settle()
        cache.clearMemoryCache()
        #expect(try await rig.retrieve(options).get().image.size != oldSize)
        #expect(rig.server.requestCount() == 2)
    }

    @Test("A processed image of an original with a record gets that record even without the option")
    func withoutOption() async throws {
        let rig = try FreshnessRig()
        try await rig.expect(.none, requests: 1)
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        let plain: Outcome = try await outcome {
            rig.manager.retrieveImage(
                with: rig.url, options: options + [.onlyFromCache, .waitForCache], completionHandler: $0)
        }
        _ = try plain.get()
        try await rig.expect(.memory, requests: 0, options)
        rig.clock.advance(by: 61)
        try await rig.expect(.memory, requests: 1, options)
        rig.clock.advance(by: 61)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1, options)
    }

    @Test(
        "With cacheMemoryOnly, a new original writes no file and leaves no old image in memory"
    )
    func originalInMemoryOnly() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let file = try rig.cache.diskStorage.value(forKey: rig.key)
        try rig.serveAnother()
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p")), .cacheMemoryOnly]
        #expect(try await rig.expect(.none, requests: 1, options).size != TestImages.pngSize)
        try await rig.cache.settle()
        #expect(try rig.cache.diskStorage.value(forKey: rig.key) == file && file != nil)
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: rig.key) == nil)
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: rig.key, options: options) != nil)
    }
}
