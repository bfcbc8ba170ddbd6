import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Requests for files on disk share the reading, and the images made of an original.
@Suite struct SharedDiskTests {
    private static let ways: [KingfisherOptionsInfo] = [
        [], [.memoryCacheExpiration(.expired)], [.memoryCacheExpiration(.expired), .waitForCache],
    ]

    private let rig: SharingRig

    init() throws { rig = try SharingRig() }

    private func store(_ data: Data? = nil, in cache: ImageCache? = nil) async throws {
        try await (cache ?? rig.cache).storeToDisk(data ?? TestImages.png, forKey: rig.key)
    }

    @Test("150 concurrent callers of a file decode it once and get one image", arguments: ways)
    func oneDecode(way: KingfisherOptionsInfo) async throws {
        try await store()
        let serializer = GatedSerializer()
        let called = await rig.call(150) { _ in way + [.cacheSerializer(serializer)] }
        _ = try await serializer.valve.insertions.first()
        serializer.valve.open()
        let results = try await called.first(150).map { try $0.outcome.get() }
        #expect(Set(results.map { ObjectIdentifier($0.image) }).count == 1)
        #expect(serializer.decoded == 1)
        #expect(rig.stub.requests.isEmpty && rig.cache.shared.inputs.count == 0)
    }

    @Test("Async and callback requests share one reading")
    func asyncCallers() async throws {
        try await store()
        let serializer = GatedSerializer()
        let options: KingfisherOptionsInfo = [.cacheSerializer(serializer), .memoryCacheExpiration(.expired)]
        let called = await rig.call(50) { _ in options }
        let tasks = (0..<50).map { _ in
            Task { [rig] in try await rig.manager.retrieveImage(with: rig.url, options: options) }
        }
        _ = try await serializer.valve.insertions.first()
        serializer.valve.open()
        _ = try await called.first(50)
        for task in tasks { _ = try await task.value }
        // Tasks that start after the first completion read again, and share that as well.
        #expect(serializer.decoded <= 10)
    }

    @Test("Different serializers or creating options decode separately")
    func apart() async throws {
        try await store()
        let serializers = [GatedSerializer(), GatedSerializer()]
        for serializer in serializers { serializer.valve.open() }
        let called = await rig.call(80) {
            [
                .cacheSerializer(serializers[$0 % 2]), .scaleFactor($0 % 4 < 2 ? 1 : 2),
                .memoryCacheExpiration(.expired),
            ]
        }
        for (number, outcome) in try await called.first(80) {
            #expect(try outcome.get().image.scale == (number % 4 < 2 ? 1 : 2))
        }
        #expect(serializers.allSatisfy { $0.decoded >= 2 })
    }

    @Test("A cancelled caller gets its own error, and the others their image", .behaviours("S-1"))
    func cancelOne() async throws {
        try await store()
        let serializer = GatedSerializer()
        let (first, others) = (Inbox<SharingRig.Outcome>(), Inbox<SharingRig.Outcome>())
        let task = rig.manager.retrieveImage(
            with: rig.url, options: [.cacheSerializer(serializer), .callbackQueue(.untouch)]
        ) { first.put($0) }
        for _ in 0..<10 {
            rig.manager.retrieveImage(
                with: rig.url, options: [.cacheSerializer(serializer), .callbackQueue(.untouch)]
            ) { others.put($0) }
        }
        _ = try await serializer.valve.insertions.first()
        try #require(task).cancel()
        #expect(reason(try await first.first()) == "taskCancelled")
        serializer.valve.open()
        for outcome in try await others.first(10) { _ = try outcome.get() }
        #expect(serializer.decoded == 1 && first.count == 1)
    }

    @Test(
        "If all requests are stale, nothing is deserialised, promoted or downloaded",
        .behaviours("S-1", "S-4"))
    func allStale() async throws {
        try await store()
        let serializer = CountingSerializer()
        let isCurrent = Locked(true)
        let inbox = Inbox<SharingRig.Outcome>()
        // The disk queue is busy until all requests have joined and become stale.
        let valve = Valve()
        rig.cache.diskQueue.run(key: rig.key) { valve.pass() }
        for _ in 0..<10 {
            rig.manager.retrieveImage(
                RequestPlan(
                    .network(rig.url),
                    rig.manager.parsedOptions([.cacheSerializer(serializer), .callbackQueue(.untouch)]),
                    isCurrent: { isCurrent.withLock { $0 } })
            ) { inbox.put($0) }
        }
        isCurrent.withLock { $0 = false }
        valve.open()
        #expect(try await inbox.first(10).allSatisfy { reason($0) == "imageNotExisting" })
        #expect(serializer.decoded == 0 && rig.stub.requests.isEmpty)
        #expect(!rig.cache.memoryStorage.isCached(forKey: rig.key))
    }

    @Test(
        "A stale request fails alone while others get the image", .behaviours("S-2"),
        arguments: [true, false])
    func oneStale(leads: Bool) async throws {
        try await store()
        let serializer = GatedSerializer()
        let isCurrent = Locked(true)
        let (stale, other) = (Inbox<SharingRig.Outcome>(), Inbox<SharingRig.Outcome>())
        let options = rig.manager.parsedOptions([.cacheSerializer(serializer), .callbackQueue(.untouch)])
        func start(_ isCurrent: (@Sendable () -> Bool)?, _ inbox: Inbox<SharingRig.Outcome>) {
            rig.manager.retrieveImage(RequestPlan(.network(rig.url), options, isCurrent: isCurrent)) {
                inbox.put($0)
            }
        }
        let checker: @Sendable () -> Bool = { isCurrent.withLock { $0 } }
        if leads { start(checker, stale) }
        start(nil, other)
        if !leads { start(checker, stale) }
        _ = try await serializer.valve.insertions.first()
        isCurrent.withLock { $0 = false }
        serializer.valve.open()
        #expect(reason(try await stale.first()) == "imageNotExisting")
        #expect(try await other.first().get().cacheType == .disk)
        #expect(serializer.decoded == 1)
    }

    @Test(
        "A request that joins an abandoned reading finds the file", .behaviours("S-2"))
    func abandonedReading() async throws {
        try await store()
        let fresh = Inbox<SharingRig.Outcome>()
        let (stale, asked) = (Inbox<SharingRig.Outcome>(), Locked(0))
        let valve = Valve()
        rig.cache.diskQueue.run(key: rig.key) { valve.pass() }
        let options = rig.manager.parsedOptions([.callbackQueue(.untouch), .onlyFromCache])
        rig.manager.retrieveImage(
            RequestPlan(
                .network(rig.url), options,
                isCurrent: { [rig] in
                    let count = asked.withLock { asked in
                        asked += 1
                        return asked
                    }
                    if count == 1 {
                        rig.manager.retrieveImage(RequestPlan(.network(rig.url), options)) { fresh.put($0) }
                    }
                    return false
                })
        ) { stale.put($0) }
        valve.open()
        #expect(reason(try await stale.first()) == "imageNotExisting")
        #expect(try await fresh.first().get().cacheType == .disk)
    }

    @Test("forceRefresh does not join a reading of the disk", .behaviours("M-4"))
    func forceRefresh() async throws {
        try await store()
        let serializer = GatedSerializer()
        let called = await rig.call(10) { _ in [.cacheSerializer(serializer)] }
        _ = try await serializer.valve.insertions.first()
        rig.stub.hold()
        let fresh = await rig.call(10) { _ in [.cacheSerializer(serializer), .forceRefresh] }
        rig.stub.release()
        for (_, outcome) in try await fresh.first(10) { #expect(try outcome.get().cacheType == .none) }
        #expect(rig.stub.requests.count == 1 && called.count == 0)
        serializer.valve.open()
        _ = try await called.first(10)
    }

    @Test(
        "A request sees earlier stores while another request reads the old file")
    func readsOwnWrites() async throws {
        try await store()
        let serializer = GatedSerializer()
        let options: KingfisherOptionsInfo = [.cacheSerializer(serializer), .memoryCacheExpiration(.expired)]
        let before = await rig.call(5) { _ in options }
        _ = try await serializer.valve.insertions.first()
        let stored = Inbox<CacheStoreResult>()
        rig.cache.storeToDisk(try TestImages.jpeg, forKey: rig.key) { stored.put($0) }
        let after = await rig.call(5) { _ in options }
        serializer.valve.open()
        let size = try TestImages.image(TestImages.jpeg).size
        for (_, outcome) in try await before.first(5) {
            #expect(try outcome.get().image.size == TestImages.pngSize)
        }
        for (_, outcome) in try await after.first(5) { #expect(try outcome.get().image.size == size) }
        #expect(serializer.decoded == 2)
    }

    @Test("A request does not see files removed before it")
    func seesRemovals() async throws {
        try await store()
        let serializer = GatedSerializer()
        let options: KingfisherOptionsInfo = [.cacheSerializer(serializer), .memoryCacheExpiration(.expired)]
        let before = await rig.call(5) { _ in options }
        _ = try await serializer.valve.insertions.first()
        rig.cache.removeImage(forKey: rig.key, completionHandler: nil)
        let after = await rig.call(5) { _ in options + [.onlyFromCache] }
        serializer.valve.open()
        for (_, outcome) in try await before.first(5) { #expect(try outcome.get().cacheType == .disk) }
        for (_, outcome) in try await after.first(5) { #expect(reason(outcome) == "imageNotExisting") }
    }

    @Test(
        "150 callers of a cached original get one image for each processor without a request",
        .behaviours("M-8"),
        arguments: ways, [false, true])
    func originals(way: KingfisherOptionsInfo, isSeparate: Bool) async throws {
        let originals = isSeparate ? rig.originals : rig.cache
        try await store(in: originals)
        let before = rig.writtenFiles
        let valve = Valve()
        let processors = ["a", "b"].map { name in
            CountingProcessor(name) {
                valve.pass()
                return $0
            }
        }
        let serializer = CountingSerializer()
        let called = await rig.call(150) {
            way + [
                .processor(processors[$0 % 2]), .cacheSerializer(serializer), .originalCache(originals),
            ]
        }
        _ = try await valve.insertions.first()
        try await rig.settle()
        valve.open()
        var images: [Set<ObjectIdentifier>] = [[], []]
        for (number, outcome) in try await called.first(150) {
            images[number % 2].insert(ObjectIdentifier(try outcome.get().image))
        }
        #expect(images.allSatisfy { $0.count == 1 })
        #expect(processors.map(\.calls) == [1, 1])
        try await rig.settle()
        #expect(serializer.encoded == 2)
        #expect(rig.writtenFiles - before == 2)
        #expect(rig.stub.requests.isEmpty && originals.shared.inputs.count == 0)
    }

    /// Changes of an original while an image is made of it.
    enum Change: CaseIterable {
        case overwriting, removing, clearing
    }

    @Test(
        "A request sees earlier changes of an original while another processes the old one",
        .behaviours("M-8"),
        arguments: Change.allCases, [false, true])
    func changedOriginal(change: Change, isSeparate: Bool) async throws {
        let originals = isSeparate ? rig.originals : rig.cache
        try await store(in: originals)
        let valve = Valve()
        let slow = CountingProcessor("slow") {
            valve.pass()
            return $0
        }
        let options: KingfisherOptionsInfo = [.originalCache(originals), .onlyFromCache]
        let before = await rig.call(1) { _ in options + [.processor(slow)] }
        _ = try await valve.insertions.first()
        switch change {
        case .overwriting: try await originals.storeToDisk(TestImages.jpeg, forKey: rig.key)
        case .removing: try await originals.removeImage(forKey: rig.key)
        case .clearing: await originals.clearCache()
        }
        let processor = CountingProcessor("p")
        let queue = CallbackQueue.dispatch(DispatchQueue(label: "separate queue"))
        let after = await rig.call(1) { _ in options + [.processor(processor), .processingQueue(queue)] }
        let outcome = try await after.first(1)[0].outcome
        switch change {
        case .overwriting:
            let size = try TestImages.image(TestImages.jpeg).size
            #expect(try outcome.get().image.size == size)
        case .removing, .clearing: #expect(reason(outcome) == "imageNotExisting")
        }
        valve.open()
        #expect(try await before.first(1)[0].outcome.get().image.size == TestImages.pngSize)
        try await rig.settle()
        #expect(originals.traffic.count == 0)
    }

    @Test("An original in memory is processed once", .behaviours("M-8"))
    func originalInMemory() async throws {
        rig.cache.store(try TestImages.image, forKey: rig.key, toDisk: false, completionHandler: nil)
        let valve = Valve()
        let processor = CountingProcessor("p") {
            valve.pass(); return $0
        }
        let called = await rig.call(100) { number in
            [.processor(processor)] + (number % 2 == 0 ? [.fromMemoryCacheOrRefresh] : [])
        }
        _ = try await valve.insertions.first()
        try await rig.settle()
        valve.open()
        for (_, outcome) in try await called.first(100) { _ = try outcome.get() }
        #expect(processor.calls == 1 && rig.stub.requests.isEmpty)
    }

    @Test(
        "A failing processor fails each request; an undecodable original is downloaded again, once",
        .behaviours("M-8", "M-9")
    )
    func failingOriginals() async throws {
        try await store()
        let failing = CountingProcessor("failing") { _ in nil }
        let refused = await rig.call(40) { _ in [.processor(failing)] }
        for (_, outcome) in try await refused.first(40) { #expect(reason(outcome) == "processingFailed") }
        #expect(rig.stub.requests.isEmpty)
        try await store(TestImages.garbage)
        let processor = CountingProcessor("p")
        let called = await rig.call(40) { _ in [.processor(processor), .memoryCacheExpiration(.expired)] }
        for (_, outcome) in try await called.first(40) { _ = try outcome.get() }
        #expect(rig.stub.requests.count == 1)
    }
}
