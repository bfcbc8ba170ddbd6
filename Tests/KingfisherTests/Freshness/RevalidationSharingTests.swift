import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

@testable import Kingfisher

/// Many who want one stale image, those who give up, and images that a processor has made.
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
        // Those in memory go to the file once, to renew it.
        if !isOnDisk, !isChanged { #expect(rig.cache.diskCacheStatistics().hits == hits + 1) }
        // Who looked last may have found what the first had brought.
        #expect(types.allSatisfy { isChanged ? $0 != .disk : $0 != .none })
    }

    @Test("Who wants a whole image does not join a conditional request")
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

    @Test("A caller that gives up meanwhile hears so once; the image stays, and others go on")
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

    @Test("The last that gives up ends the request; a URL's are cancelled, conditional or not")
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

    @Test("A processed image is asked about by itself, without its original")
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

    @Test("Images that two processors have made of one download share the question")
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
        "A stale original is asked about before an image is made of it", arguments: [false, true],
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
        // Both are fresh now, and the same.
        try await rig.expect(.memory, requests: 0, options)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0, options)
        #expect(try await rig.expect(.disk, requests: 0).size == image.size)
        #expect(processor.calls == 1)
    }

    @Test("A fresh original takes no request, and what is made of it is as old as it is")
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

    @Test("A new image replaces the original in a cache of its own, too")
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

    @Test("waitForCache: the file is renewed when the completion runs")
    func waitForCache() async throws {
        let rig = try FreshnessRig()
        for _ in 0..<20 {
            try await rig.loadAndAge()
            _ = try await rig.retrieve([.waitForCache]).get()
            let records = try #require(try rig.records())
            #expect(HTTPFreshness(records)?.receivedAt == rig.clock.now)
        }
    }

    @Test("Who shares a download without the option takes nothing from who has it")
    func sharedWithoutOption() async throws {
        for isFirst in [false, true] {
            let rig = try FreshnessRig()
            let (gate, inbox) = (ServerGate(), Inbox<Outcome>())
            rig.serve { $0.gate = gate }
            for hasOption in [isFirst, !isFirst] {
                rig.manager.retrieveImage(
                    with: rig.url, options: [.waitForCache] + (hasOption ? [.httpCaching] : [])
                ) { inbox.put($0) }
            }
            #expect(await poll { gate.arrived == 1 })
            gate.release()
            for outcome in try await inbox.first(2) { #expect(try outcome.get().cacheType == .none) }
            #expect(try rig.records()?.count == 1)
            rig.cache.clearMemoryCache()
            rig.clock.advance(by: 61)
            try await rig.expect(.disk, requests: 1)
            #expect(rig.server.requestCount() == 2)
        }
    }

    @Test("A stale original is used at once where its server allows that, and renewed meanwhile")
    func originalWhileRevalidate() async throws {
        let rig = try FreshnessRig("max-age=60, stale-while-revalidate=30")
        try await rig.loadAndAge()
        try rig.serveAnother()
        let options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        #expect(try await rig.retrieve(options).get().image.size == TestImages.pngSize)
        let (cache, key) = (rig.cache, rig.key)
        // The new image may be there before the old one was stored; either is asked about in the end.
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

    @Test("On a metered network with a lighter source at hand, a stale image is used and nobody asked")
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

    @Test("A delegate that refuses responses hears of images only, not of a 304 that it has not asked for")
    func delegate() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let delegate = RecordingDelegate(.init(disposition: .cancel))
        rig.downloader.delegate = delegate
        // Without an answer the old image would be the result, too, but stay stale.
        try await rig.expect(.memory, requests: 1)
        try await rig.expect(.memory, requests: 0)
        #expect(delegate.responses.count == 0)
        _ = try await rig.retrieve([.forceRefresh])
        #expect(delegate.responses.count == 1)
    }

    @Test("What somebody has put in the file's place by hand stays unasked")
    func byHand() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        try await rig.cache.storeToDisk(try TestImages.jpeg, forKey: rig.key)
        try await rig.expect(.memory, requests: 1)
        #expect(try rig.records() == [])
        rig.cache.clearMemoryCache()
        rig.clock.advance(by: 1_000)
        #expect(try await rig.expect(.disk, requests: 0).size != TestImages.pngSize)
    }

    @Test("The notes keep no image alive, and forget those that are gone")
    func notes() throws {
        let notes = ImageNotes()
        let kept = try Image.blank()
        let freshness = HTTPFreshness(receivedAt: Date())
        notes.note(freshness, of: kept, forKey: "kept")
        for number in 0..<1_000 { notes.note(freshness, of: try Image.blank(), forKey: "\(number)") }
        #expect(notes.count < 200)
        #expect(notes.freshness(of: kept, forKey: "kept") == freshness)
        #expect(notes.freshness(of: kept, forKey: "other") == nil)
        #expect(notes.freshness(of: try Image.blank(), forKey: "kept") == nil)
    }
}
