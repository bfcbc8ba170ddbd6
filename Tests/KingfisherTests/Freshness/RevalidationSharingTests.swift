import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Concurrent and cancelled callers of one stale image, and processed images.
@Suite struct RevalidationSharingTests {
    private typealias Outcome = FreshnessRig.Outcome

    @Test(
        "Fifty callers of one stale image make one conditional request", arguments: [false, true],
        [false, true])
    func sharing(isChanged: Bool, isOnDisk: Bool) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        if isOnDisk { rig.cache.clearMemoryCache() }
        if isChanged { try rig.serveAnother() }
        let gate = ServerGate()
        rig.serve { $0.gate = gate }
        let inbox = Inbox<Outcome>()
        let hits = rig.cache.diskCacheStatistics().hits
        for _ in 0..<50 {
            rig.manager.retrieveImage(with: rig.url, options: [.httpCaching, .callbackQueue(.untouch)]) {
                inbox.put($0)
            }
        }
        #expect(await poll { gate.arrived == 1 })
        gate.release()
        let types = try await inbox.first(50).map { try $0.get().cacheType }
        #expect(rig.server.requestCount() == 2)
        #expect(rig.askedTags == [nil, "\"1\""])
        #expect(inbox.count == 50)
        await rig.settle()
        try await rig.cache.settle()
        // Callers with the image in memory read the file once, to renew it.
        if !isOnDisk, !isChanged { #expect(rig.cache.diskCacheStatistics().hits == hits + 1) }
        // A late caller may have found the image that an earlier one had loaded.
        #expect(types.allSatisfy { isChanged ? $0 != .disk : $0 != .none })
    }

    @Test("A caller of a whole image does not join a conditional request")
    func notJoined() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let gate = ServerGate()
        rig.serve { $0.gate = gate }
        async let stale = rig.retrieve()
        #expect(await poll { gate.arrived == 1 })
        async let whole = rig.retrieve([.forceRefresh])
        #expect(await poll { gate.arrived == 2 })
        gate.release()
        #expect(try await whole.get().cacheType == .none)
        #expect(try await stale.get().cacheType == .memory)
        #expect(rig.askedTags == [nil, "\"1\"", nil])
    }

    @Test(
        "A caller cancelled during revalidation gets its error once; image and other callers are unaffected")
    func cancel() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let gate = ServerGate()
        rig.serve { $0.gate = gate }
        let (one, other) = (Inbox<Outcome>(), Inbox<Outcome>())
        let task = rig.manager.retrieveImage(with: rig.url, options: [.httpCaching]) { one.put($0) }
        rig.manager.retrieveImage(with: rig.url, options: [.httpCaching]) { other.put($0) }
        #expect(await poll { gate.arrived == 1 })
        task?.cancel()
        task?.cancel()
        #expect(try await one.first().failure?.isTaskCancelled == true)
        gate.release()
        #expect(try await other.first().get().cacheType == .memory)
        await passMainQueue()
        #expect(one.count == 1 && other.count == 1)
        #expect(rig.server.requestCount() == 2)
    }

    @Test("Cancelling the last caller ends the request; cancelling a URL also ends conditional requests")
    func cancelAll() async throws {
        for byURL in [false, true] {
            let rig = try FreshnessRig()
            try await rig.loadAndAge()
            let (gate, inbox) = (ServerGate(), Inbox<Outcome>())
            rig.serve { $0.gate = gate }
            let task = rig.manager.retrieveImage(with: rig.url, options: [.httpCaching]) { inbox.put($0) }
            #expect(await poll { gate.arrived == 1 })
            if byURL { rig.downloader.cancel(url: rig.url) } else { task?.cancel() }
            #expect(try await inbox.first().failure?.isTaskCancelled == true)
            #expect(rig.downloader.transfers.withLock { $0.isEmpty })
            gate.release()
            await passMainQueue()
            #expect(inbox.count == 1)
            #expect(rig.cache.isCached(forKey: rig.key))
        }
    }

    @Test("A processed image is revalidated by itself, without its original")
    func processed() async throws {
        let rig = try FreshnessRig()
        let processor = CountingProcessor("p")
        let options: KingfisherOptionsInfo = [.processor(processor)]
        try await rig.loadAndAge(options)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1, options)
        #expect(processor.calls == 1)
        rig.clock.advance(by: 61)
        try rig.serveAnother()
        #expect(try await rig.expect(.none, requests: 1, options).size != TestImages.pngSize)
        #expect(processor.calls == 2)
        #expect(rig.askedTags == [nil, "\"1\"", "\"1\""])
    }

    @Test("Images of two processors from one download share a revalidation")
    func twoProcessors() async throws {
        let rig = try FreshnessRig()
        let names = ["p", "q"]
        for name in names {
            _ = try await rig.retrieve([.processor(CountingProcessor(name)), .cacheOriginalImage])
        }
        #expect(rig.server.requestCount() == 1)
        rig.clock.advance(by: 61)
        let (gate, inbox) = (ServerGate(), Inbox<Outcome>())
        rig.serve { $0.gate = gate }
        for name in names {
            rig.manager.retrieveImage(
                with: rig.url, options: [.httpCaching, .processor(CountingProcessor(name))]
            ) { inbox.put($0) }
        }
        #expect(await poll { gate.arrived == 1 })
        gate.release()
        #expect(try await inbox.first(2).map { try $0.get().cacheType } == [.memory, .memory])
        #expect(rig.server.requestCount() == 2)
    }

    @Test(
        "A stale original is revalidated before it is processed", arguments: [false, true],
        [false, true])
    func original(isInMemory: Bool, isChanged: Bool) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        if !isInMemory { rig.cache.clearMemoryCache() }
        if isChanged { try rig.serveAnother() }
        let processor = CountingProcessor("p")
        let options: KingfisherOptionsInfo = [.processor(processor)]
        let image = try await rig.expect(.none, requests: 1, options)
        #expect((image.size != TestImages.pngSize) == isChanged)
        #expect(rig.askedTags.last == "\"1\"")
        // Both are fresh now and have the same record.
        try await rig.expect(.memory, requests: 0, options)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0, options)
        #expect(try await rig.expect(.disk, requests: 0).size == image.size)
        #expect(processor.calls == 1)
    }

    @Test("A fresh original takes no request, and the processed image has its age")
    func freshOriginal() async throws {
        let rig = try FreshnessRig()
        try await rig.expect(.none, requests: 1)
        rig.clock.advance(by: 40)
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        try await rig.expect(.none, requests: 0, options)
        rig.clock.advance(by: 19)
        try await rig.expect(.memory, requests: 0, options)
        rig.clock.advance(by: 1)
        try await rig.expect(.memory, requests: 1, options)
    }

    @Test("A new image also replaces the original in a separate original cache")
    func originalCache() async throws {
        let (rig, folder) = (try FreshnessRig(), try TemporaryFolder())
        let originals = try ImageCache.make(in: folder, clock: rig.clock)
        let options: KingfisherOptionsInfo = [
            .processor(CountingProcessor("p")), .originalCache(originals), .cacheOriginalImage,
        ]
        try await rig.loadAndAge(options)
        try rig.serveAnother()
        try await rig.expect(.none, requests: 1, options)
        #expect(try originals.diskStorage.value(forKey: rig.key) == (try TestImages.jpeg))
        rig.cache.clearMemoryCache()
        await rig.cache.clearDiskCache()
        try await rig.expect(.none, requests: 0, options)
    }

    @Test("With waitForCache the file is renewed before the completion")
    func waitForCache() async throws {
        let rig = try FreshnessRig()
        for _ in 0..<20 {
            try await rig.loadAndAge()
            _ = try await rig.retrieve([.waitForCache]).get()
            let records = try #require(try rig.records())
            #expect(HTTPFreshness(records)?.receivedAt == rig.clock.now)
        }
    }

    @Test("A caller without the option does not affect the record of a caller with it")
    func sharedWithoutOption() async throws {
        for isFirst in [false, true] {
            let rig = try FreshnessRig()
            let (gate, inbox) = (ServerGate(), Inbox<Outcome>())
            rig.serve { $0.gate = gate }
            let joins = EventCollector("download.joined", of: rig.url)
            for hasOption in [isFirst, !isFirst] {
                rig.manager.retrieveImage(
                    with: rig.url, options: [.waitForCache] + (hasOption ? [.httpCaching] : [])
                ) { inbox.put($0) }
            }
            #expect(await poll { gate.arrived == 1 && joins.events.count == 1 })
            gate.release()
            for outcome in try await inbox.first(2) { #expect(try outcome.get().cacheType == .none) }
            #expect(try rig.records()?.count == 1)
            rig.cache.clearMemoryCache()
            rig.clock.advance(by: 61)
            try await rig.expect(.disk, requests: 1)
            #expect(rig.server.requestCount() == 2)
        }
    }

    @Test("With stale-while-revalidate, a stale original is used immediately and renewed in the background")
    func originalWhileRevalidate() async throws {
        let rig = try FreshnessRig("max-age=60, stale-while-revalidate=30")
        try await rig.loadAndAge()
        try rig.serveAnother()
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        #expect(try await rig.retrieve(options).get().image.size == TestImages.pngSize)
        let (cache, key) = (rig.cache, rig.key)
        // The new image may arrive before the old one was stored; both are revalidated eventually.
        #expect(
            await poll {
                let original = try? cache.diskStorage.value(forKey: key)
                return original != nil && original == (try? TestImages.jpeg)
            })
        rig.clock.advance(by: 61)
        rig.cache.clearMemoryCache()
        rig.clock.advance(by: 100)
        #expect(try await rig.retrieve(options).get().image.size != TestImages.pngSize)
    }

    @Test("On a metered network with a low-data source, a stale image is used without a request")
    func metered() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let monitor = NetworkMonitor()
        monitor.source = StubNetwork(isMetered: true)
        let manager = KingfisherManager(
            downloader: rig.downloader, cache: rig.cache, networkMonitor: monitor)
        let result: Outcome = try await outcome {
            manager.retrieveImage(
                with: rig.url, options: [.httpCaching, .lowDataMode(.network(rig.server.url("/light")))],
                completionHandler: $0)
        }
        #expect(try result.get().cacheType == .memory)
        #expect(rig.server.requestCount() == 1)
    }

    @Test("A delegate that refuses responses is called for images only, not for an internal 304")
    func delegate() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let delegate = RecordingDelegate(.init(disposition: .cancel))
        rig.downloader.delegate = delegate
        // Without a response the old image would also be the result, but remain stale.
        try await rig.expect(.memory, requests: 1)
        try await rig.expect(.memory, requests: 0)
        #expect(delegate.responses.count == 0)
        _ = try await rig.retrieve([.forceRefresh])
        #expect(delegate.responses.count == 1)
    }

    @Test("A file stored without a record is not revalidated")
    func storedWithoutRecord() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        try await rig.cache.storeToDisk(try TestImages.jpeg, forKey: rig.key)
        try await rig.expect(.memory, requests: 1)
        #expect(try rig.records() == [])
        rig.cache.clearMemoryCache()
        rig.clock.advance(by: 1_000)
        #expect(try await rig.expect(.disk, requests: 0).size != TestImages.pngSize)
    }

    @Test("The notes do not retain images and drop those that were released")
    func notes() throws {
        let notes = ImageAnnotations()
        let retained = try Image.blank()
        let freshness = HTTPFreshness(receivedAt: Date())
        notes.note(freshness, of: retained, forKey: "retained")
        for number in 0..<1_000 { notes.note(freshness, of: try Image.blank(), forKey: "\(number)") }
        #expect(notes.count < 200)
        #expect(notes.freshness(of: retained, forKey: "retained") == freshness)
        #expect(notes.freshness(of: retained, forKey: "other") == nil)
        #expect(notes.freshness(of: try Image.blank(), forKey: "retained") == nil)
    }
}
