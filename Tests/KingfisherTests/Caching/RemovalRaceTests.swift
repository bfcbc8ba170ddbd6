import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Removals by tag or prefix while requests are running.
@Suite struct RemovalRaceTests {
    private let tagged: KingfisherOptionsInfo = [.tags(["a"]), .waitForCache, .callbackQueue(.untouch)]

    private func isStored(_ bench: Bench, _ identifier: String = "") async throws -> Bool {
        try await bench.cache.settle()
        return bench.cache.isCached(forKey: bench.url.cacheKey, processorIdentifier: identifier)
    }

    /// Starts a request whose response waits for `bench.stub.release()`.
    private func start(_ bench: Bench, _ options: KingfisherOptionsInfo? = nil) async -> Inbox<Bool> {
        let inbox = Inbox<Bool>()
        let count = bench.stub.requests.count
        bench.stub.hold()
        bench.manager.retrieveImage(with: bench.url, options: options ?? tagged) {
            inbox.put((try? $0.get()) != nil)
        }
        #expect(await poll { bench.stub.requests.count > count })
        return inbox
    }

    @Test func `A request that began before the removal delivers its image and does not store it`()
        async throws
    {
        let bench = try Bench()
        let inbox = await start(bench)
        #expect(try await bench.cache.removeImages(tagged: ["a"]) == 0)
        bench.stub.release()
        #expect(try await inbox.first())
        #expect(try await !isStored(bench))
        #expect(bench.filesOnDisk.isEmpty)
        _ = try await bench.retrieve(nil, tagged).get()
        #expect(try await isStored(bench))
    }

    @Test func `A request that began after the removal does not share an earlier transfer`() async throws {
        let bench = try Bench()
        let earlier = await start(bench)
        _ = try await bench.cache.removeImages(tagged: ["a"])
        let later = await start(bench)
        #expect(bench.stub.requests.count == 2)
        bench.stub.release()
        let outcomes = [try await earlier.first(), try await later.first()]
        #expect(outcomes == [true, true])
        #expect(try await isStored(bench))
    }

    @Test func `Requests with other tags share their transfer and store it across a removal`() async throws {
        let bench = try Bench()
        let options: KingfisherOptionsInfo = [.tags(["b"]), .waitForCache, .callbackQueue(.untouch)]
        let inbox = await start(bench, options)
        _ = try await bench.cache.removeImages(tagged: ["a"])
        let second = Inbox<Bool>()
        bench.manager.retrieveImage(with: bench.url, options: options) { second.put((try? $0.get()) != nil) }
        #expect(await !poll(upTo: .milliseconds(50)) { bench.stub.requests.count > 1 })
        bench.stub.release()
        let outcomes = [try await inbox.first(), try await second.first()]
        #expect(outcomes == [true, true])
        #expect(try await isStored(bench))
    }

    @Test func `The original and the result of an earlier request are not stored`() async throws {
        let bench = try Bench()
        let options = tagged + [.processor(CountingProcessor("p")), .cacheOriginalImage]
        let inbox = await start(bench, options)
        _ = try await bench.cache.removeImages(tagged: ["a"])
        bench.stub.release()
        #expect(try await inbox.first())
        #expect(try await !isStored(bench))
        #expect(try await !isStored(bench, "p"))
    }

    @Test func `A removal from the cache of originals counts for results in another cache`() async throws {
        let bench = try Bench()
        let originals = try ImageCache(
            name: "originals", cacheDirectoryURL: bench.folder.url.appending(path: "originals"))
        let options =
            tagged + [.processor(CountingProcessor("p")), .cacheOriginalImage, .originalCache(originals)]
        let inbox = await start(bench, options)
        _ = try await originals.removeImages(tagged: ["a"])
        bench.stub.release()
        #expect(try await inbox.first())
        #expect(try await !isStored(bench, "p"))
        #expect(!originals.isCached(forKey: bench.url.cacheKey))
    }

    @Test func `A file that was read before the removal does not return to memory`() async throws {
        let bench = try Bench()
        _ = try await bench.retrieve(nil, tagged).get()
        bench.cache.clearMemoryCache()
        let serializer = GatedSerializer()
        let inbox = Inbox<Bool>()
        bench.manager.retrieveImage(with: bench.url, options: tagged + [.cacheSerializer(serializer)]) {
            inbox.put((try? $0.get()) != nil)
        }
        _ = try await serializer.valve.insertions.first()
        async let removed = bench.cache.removeImages(tagged: ["a"])
        // Another key's queue must not wait for the file that is being decoded.
        serializer.valve.open()
        #expect(try await removed == 1)
        #expect(try await inbox.first())
        #expect(try await !isStored(bench))
    }

    @Test func `The file of an earlier request is not stored in memory`() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let request = Task {
            try await bench.manager.retrieveData(with: .network(bench.url), options: tagged)
        }
        _ = await poll { bench.stub.requests.count == 1 }
        _ = try await bench.cache.removeImages(tagged: ["a"])
        bench.stub.release()
        #expect(try await request.value.data.count > 0)
        let later = try await bench.manager.retrieveData(with: .network(bench.url), options: tagged)
        #expect(later.cacheType == .none && bench.stub.requests.count == 2)
    }

    @Test func `A prefix is compared with the key of a running request`() async throws {
        let bench = try Bench()
        bench.cache.diskStorage.config.recordsKeys = true
        let inbox = await start(bench, [.waitForCache, .callbackQueue(.untouch)])
        _ = try await bench.cache.removeImages(keyPrefix: String(bench.url.cacheKey.dropLast(3)))
        bench.stub.release()
        #expect(try await inbox.first())
        #expect(try await !isStored(bench))
    }

    @Test func `A known failure of a removed image is forgotten`() async throws {
        let bench = try Bench { _ in StubAnswer(status: 404) }
        let options = tagged + [.negativeCaching(NegativeCaching())]
        for _ in 0..<2 { _ = try await bench.retrieve(nil, options) }
        #expect(bench.stub.requests.count == 1)
        _ = try await bench.cache.removeImages(tagged: ["other"])
        _ = try await bench.retrieve(nil, options)
        #expect(bench.stub.requests.count == 1)
        _ = try await bench.cache.removeImages(tagged: ["a"])
        for _ in 0..<2 { _ = try await bench.retrieve(nil, options) }
        #expect(bench.stub.requests.count == 2)
    }

    @Test func `Concurrent requests and removals leave no image of an earlier version`() async throws {
        let version = Locked(0)
        let bench = try Bench { _ in
            // The grey tells the versions apart.
            .ok(Image.filled(4, 4, with: version.withLock { $0 })?.kf.pngRepresentation() ?? Data())
        }
        for round in 1...60 {
            let requests = (0..<4).map { _ in Task { try await bench.retrieve(nil, tagged).get() } }
            version.withLock { $0 = round }
            _ = try await bench.cache.removeImages(tagged: ["a"])
            let image = try await bench.retrieve(nil, tagged).get().image
            #expect(image.grey == round)
            for request in requests { _ = try? await request.value }
            let stored = try await bench.retrieve(nil, tagged).get().image
            #expect(stored.grey == round)
        }
    }
}

@Suite struct RemovalHistoryTests {
    @Test func `A removal counts while it runs, and afterwards for earlier marks`() {
        let history = RemovalHistory()
        #expect(!history.contains(key: "k", tags: ["a"], since: history.mark))
        let before = history.mark
        let removal = history.begin(.tagged(["a"]))
        let during = history.mark
        #expect(history.contains(key: "k", tags: ["a"], since: during))
        #expect(!history.contains(key: "k", tags: ["b"], since: before))
        history.end(removal)
        #expect(history.contains(key: "k", tags: ["a"], since: before))
        #expect(history.contains(key: "k", tags: ["a"], since: during))
        #expect(!history.contains(key: "k", tags: ["a"], since: history.mark))
    }

    @Test func `Prefixes are compared by bytes`() {
        let history = RemovalHistory()
        history.end(history.begin(.keyPrefix("é")))
        #expect(history.contains(key: "é", tags: [], since: 0))
        #expect(!history.contains(key: "e\u{301}", tags: [], since: 0))
    }

    @Test func `Beyond the limit, the oldest removals count for every image`() {
        let history = RemovalHistory()
        let start = history.mark
        for number in 0...RemovalHistory.limits.tags { history.end(history.begin(.tagged(["\(number)"]))) }
        #expect(history.contains(key: "k", tags: ["0"], since: start))
        #expect(history.contains(key: "k", tags: ["unrelated"], since: start))
        #expect(!history.contains(key: "k", tags: ["unrelated"], since: history.mark))
    }
}
