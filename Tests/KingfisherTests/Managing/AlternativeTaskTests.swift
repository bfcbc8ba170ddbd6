import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

/// M-16, M-17, S-4 and the manager's part of V-12: tasks and cancels of a request with alternatives.
@Suite struct AlternativeTaskTests {
    private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private enum Event: Sendable, Equatable {
        case updated(URL?, initialized: Bool)
        case completed(String?)
    }

    /// Reports the start of a decode and waits for the latch.
    private struct BlockingSerializer: CacheSerializer {
        let started: Inbox<Void>
        let latch: Latch

        func data(with image: Image, original: Data?) -> Data? { original }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
            started.put()
            _ = latch.wait()
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    /// `/good` is an image; every other path gives 404.
    private let bench: Bench
    private let first = Source.network(URL(string: "http://stub.invalid/first") ?? URL(filePath: "/"))
    private let held = Source.network(URL(string: "http://stub.invalid/held") ?? URL(filePath: "/"))
    private let good = Source.network(URL(string: "http://stub.invalid/good") ?? URL(filePath: "/"))

    init() throws {
        let png = try TestImages.png
        bench = try Bench { $0.url?.path == "/good" ? .ok(png) : StubAnswer(status: 404) }
    }

    /// Holds the stub when `/held` is requested.
    private var holding: KingfisherOptionsInfoItem {
        .requestModifier(
            AnyModifier { [stub = bench.stub] request in
                if request.url?.path == "/held" { stub.hold() }
                return request
            })
    }

    /// Starts a request and records its callbacks; `onUpdate` gets each new task.
    private func start(
        _ source: Source? = nil, _ alternatives: [Source], _ options: KingfisherOptionsInfo = [],
        onUpdate: @escaping @Sendable (DownloadTask?) -> Void = { _ in },
        isCurrent: (@Sendable () -> Bool)? = nil
    ) -> (task: DownloadTask?, events: Inbox<Event>, outcomes: Inbox<Outcome>) {
        let (events, outcomes) = (Inbox<Event>(), Inbox<Outcome>())
        let task = bench.manager.retrieveImage(
            RequestPlan(
                source ?? first, bench.manager.parsedOptions(options + [.alternativeSources(alternatives)]),
                downloadTaskUpdated: { task in
                    events.put(
                        .updated(task?.sessionTask?.originalURL, initialized: task?.isInitialized ?? false))
                    onUpdate(task)
                }, isCurrent: isCurrent)
        ) {
            events.put(.completed(reason($0)))
            outcomes.put($0)
        }
        return (task, events, outcomes)
    }

    /// The only outcome, after everything that could deliver a second one has finished.
    private func only(_ outcomes: Inbox<Outcome>) async throws -> Outcome {
        let outcome = try await outcomes.first()
        bench.stub.release()
        try await bench.cache.settle()
        #expect(await poll { bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(outcomes.count == 1)
        return outcome
    }

    @Test(
        "Each new task, except the initial one, is reported once, initialised, before the completion",
        .behaviours("M-16"))
    func updates() async throws {
        let (task, events, outcomes) = start(nil, [held, good])
        _ = try await only(outcomes).get()
        #expect(
            events.values == [
                .updated(held.url, initialized: true), .updated(good.url, initialized: true), .completed(nil),
            ])
        #expect(task?.sessionTask?.originalURL == first.url)
    }

    @Test("A request whose first source succeeds reports no new task", .behaviours("M-16"))
    func noUpdates() async throws {
        let (_, events, outcomes) = start(good, [held])
        _ = try await only(outcomes).get()
        #expect(events.values == [.completed(nil)])
    }

    @Test(
        "A download that fails without a transfer reports its task before the completion", .behaviours("M-16")
    )
    func synchronousFailure() async throws {
        let refusing = AnyModifier { $0.url?.path == "/held" ? nil : $0 }
        let (_, events, outcomes) = start(nil, [held], [.requestModifier(refusing)])
        #expect(reason(try await only(outcomes)) == "alternativeSourcesExhausted")
        #expect(
            events.values == [
                .updated(nil, initialized: false), .completed("alternativeSourcesExhausted"),
            ])
    }

    @Test(
        "An asynchronous request modifier delays the report until the task is initialised",
        .behaviours("M-16"))
    func asynchronousModifier() async throws {
        struct Slow: AsyncImageDownloadRequestModifier {
            let onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? = nil
            func modified(for request: URLRequest) async -> URLRequest? {
                await Task.yield()
                return request
            }
        }
        let (_, events, outcomes) = start(nil, [good], [.requestModifier(Slow())])
        _ = try await only(outcomes).get()
        #expect(events.values == [.updated(good.url, initialized: true), .completed(nil)])
    }

    @Test("A provider's load is reported with a task as well", .behaviours("M-16"))
    func providerUpdate() async throws {
        let provider = RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")
        let (_, events, outcomes) = start(nil, [.provider(provider)])
        #expect(try await only(outcomes).get().source.cacheKey == "raw")
        #expect(events.values == [.updated(nil, initialized: false), .completed(nil)])
    }

    @Test(
        "A cancel inside the report gives one taskCancelled completion and nothing after it",
        .behaviours("M-16"))
    func cancelInside() async throws {
        let (_, events, outcomes) = start(nil, [held, good]) { $0?.cancel() }
        guard case .requestError(.taskCancelled(let task, _)) = try await only(outcomes).failure else {
            Issue.record("\(outcomes.values)")
            return
        }
        #expect(task.originalURL == held.url)
        #expect(events.values == [.updated(held.url, initialized: true), .completed("taskCancelled")])
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "A cancel inside the report works for providers and downloads without a transfer", .behaviours("M-16")
    )
    func cancelInsideWithoutTransfer() async throws {
        let refusing = AnyModifier { $0.url?.path == "/held" ? nil : $0 }
        let (_, whenRefused, refused) = start(nil, [held, good], [.requestModifier(refusing)]) {
            $0?.cancel()
        }
        #expect(reason(try await only(refused)) == "taskCancelled")
        #expect(
            whenRefused.values == [.updated(nil, initialized: false), .completed("taskCancelled")])
        let (_, whenSilent, silent) = start(nil, [.provider(PendingProvider()), good]) { $0?.cancel() }
        #expect(reason(try await only(silent)) == "dataProviderCancelled")
        #expect(
            whenSilent.values == [
                .updated(nil, initialized: false), .completed("dataProviderCancelled"),
            ])
        #expect(bench.stub.requests.allSatisfy { $0.url?.path == "/first" })
    }

    @Test(
        "A cancel before an alternative starts gives taskCancelled and starts no alternative",
        .behaviours("M-17"))
    func cancelBefore() async throws {
        bench.stub.hold()
        let (task, events, outcomes) = start(nil, [good])
        #expect(await poll { bench.stub.requests.count == 1 })
        try #require(task).cancel()
        #expect(try await only(outcomes).failure?.isTaskCancelled == true)
        #expect(events.values == [.completed("taskCancelled")])
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A cancelled provider does not fail over")
    func cancelProvider() async throws {
        let (task, _, outcomes) = start(.provider(PendingProvider()), [good])
        try #require(task).cancel()
        #expect(reason(try await only(outcomes)) == "dataProviderCancelled")
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "A running alternative is cancelled by the returned task and by its own task",
        .behaviours("V-12"),
        arguments: [true, false])
    func cancelAlternative(byReturnedTask: Bool) async throws {
        let updated = Inbox<DownloadTask?>()
        let (task, _, outcomes) = start(nil, [held, good], [holding]) { updated.put($0) }
        let alternative = try #require(try await updated.first())
        #expect(await poll { bench.stub.requests.count == 2 })
        #expect(outcomes.count == 0)
        if byReturnedTask { try #require(task).cancel() } else { alternative.cancel() }
        guard case .requestError(.taskCancelled(let cancelled, _)) = try await only(outcomes).failure else {
            Issue.record("\(outcomes.values)")
            return
        }
        #expect(cancelled.originalURL == held.url)
        #expect(bench.stub.requests.count == 2)
    }

    @Test("The returned task cancels an alternative that is looked up on disk or comes from a provider")
    func cancelAlternativeWithoutTransfer() async throws {
        let (started, latch) = (Inbox<Void>(), Latch())
        let serializer = BlockingSerializer(started: started, latch: latch)
        try await bench.cache.storeToDisk(TestImages.png, forKey: good.cacheKey)
        let (task, _, onDisk) = start(nil, [good], [.cacheSerializer(serializer)])
        try await started.first()
        try #require(task).cancel()
        #expect(try await onDisk.first().failure?.isTaskCancelled == true)
        latch.open()
        #expect(try await only(onDisk).failure?.isTaskCancelled == true)
        #expect(bench.cache.imageCachedType(forKey: good.cacheKey) == .disk)

        let updated = Inbox<DownloadTask?>()
        let (other, _, outcomes) = start(nil, [.provider(PendingProvider()), good]) { updated.put($0) }
        _ = try await updated.first()
        try #require(other).cancel()
        #expect(reason(try await only(outcomes)) == "dataProviderCancelled")
    }

    @Test("The task of a failed alternative no longer cancels anything")
    func staleTask() async throws {
        let updated = Inbox<DownloadTask?>()
        let bad = Source.network(URL(string: "http://stub.invalid/bad") ?? URL(filePath: "/"))
        let (_, _, outcomes) = start(nil, [bad, held, good], [holding]) { updated.put($0) }
        let tasks = try await updated.first(2)
        #expect(await poll { bench.stub.requests.count == 3 })
        tasks[0]?.cancel()
        await passMainQueue()
        #expect(outcomes.count == 0)
        bench.stub.release()
        #expect(try await only(outcomes).get().source == good)
    }

    @Test("A cancel through the downloader does not fail over")
    func downloaderCancel() async throws {
        bench.stub.hold()
        let (_, events, outcomes) = start(nil, [good])
        #expect(await poll { bench.stub.requests.count == 1 })
        bench.downloader.cancelAll()
        #expect(try await only(outcomes).failure?.isTaskCancelled == true)
        #expect(events.values == [.completed("taskCancelled")])
    }

    @Test("A request that is superseded when its source fails does not fail over", .behaviours("S-4"))
    func stale() async throws {
        let isCurrent = Locked(true)
        let modifier = AnyModifier { request in
            isCurrent.withLock { $0 = false }
            return request
        }
        let (_, events, outcomes) = start(
            nil, [good], [.requestModifier(modifier)], isCurrent: { isCurrent.withLock { $0 } })
        #expect(reason(try await only(outcomes)) == "invalidHTTPStatusCode")
        #expect(events.values == [.completed("invalidHTTPStatusCode")])
        #expect(bench.stub.requests.count == 1)
    }

    @Test(
        "A request that is superseded at its start gives imageNotExisting without a request",
        .behaviours("S-4")
    )
    func staleFromTheStart() async throws {
        let (_, events, outcomes) = start(nil, [good], isCurrent: { false })
        #expect(reason(try await only(outcomes)) == "imageNotExisting")
        #expect(events.values == [.completed("imageNotExisting")])
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A request superseded during the lookup of an alternative ends there", .behaviours("S-4"))
    func staleAtAlternative() async throws {
        let isCurrent = Locked(true)
        let (_, _, outcomes) = start(
            nil, [held, good], onUpdate: { _ in isCurrent.withLock { $0 = false } },
            isCurrent: { isCurrent.withLock { $0 } })
        #expect(reason(try await only(outcomes)) == "invalidHTTPStatusCode")
        #expect(bench.stub.requests.map(\.url?.path) == ["/first", "/held"])
    }

    @Test("200 requests with alternatives, cancelled at random, complete once each and leave nothing behind")
    func randomCancels() async throws {
        let outcomes = (0..<200).map { _ in Inbox<Outcome>() }
        let png = try TestImages.png
        let provider = Source.provider(RawImageDataProvider(data: png, cacheKey: "raw"))
        for inbox in outcomes {
            let alternatives =
                [[held, good], [held, provider], [good], [held, held, held]].randomElement() ?? []
            let updated = Inbox<DownloadTask?>()
            let task = bench.manager.retrieveImage(
                with: first, options: [.alternativeSources(alternatives), .forceRefresh, .waitForCache],
                downloadTaskUpdated: { updated.put($0) }
            ) { inbox.put($0) }
            let usesNewTask = Bool.random()
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0...4_000))) {
                if usesNewTask { updated.values.last??.cancel() } else { task?.cancel() }
            }
        }
        for inbox in outcomes {
            guard let error = try await inbox.first().failure else { continue }
            let name = error.reasonName
            #expect(
                ["taskCancelled", "dataProviderCancelled", "alternativeSourcesExhausted"].contains(name),
                "\(error)")
        }
        try await bench.cache.settle()
        #expect(await poll { bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(outcomes.allSatisfy { $0.count == 1 })
    }

    @Test("On eight threads with the same sources, every request completes once with the same image")
    func threads() async throws {
        let outcomes = Inbox<Outcome>()
        let requests = (0..<400).map { _ in Inbox<Event>() }
        for thread in 0..<8 {
            Thread { [bench, first, held, good] in
                for events in requests[thread * 50..<thread * 50 + 50] {
                    bench.manager.retrieveImage(
                        with: first, options: [.alternativeSources([held, good]), .callbackQueue(.untouch)],
                        downloadTaskUpdated: { task in
                            events.put(
                                .updated(
                                    task?.sessionTask?.originalURL, initialized: task?.isInitialized ?? false)
                            )
                        }
                    ) {
                        events.put(.completed(reason($0)))
                        outcomes.put($0)
                    }
                }
            }.start()
        }
        for outcome in try await outcomes.first(400, upTo: 60) {
            #expect(try outcome.get().source == good)
        }
        await passMainQueue()
        #expect(outcomes.count == 400)
        let tried = Event.updated(held.url, initialized: true)
        for events in requests.map(\.values) {
            // The second alternative may come from the cache, without a task.
            #expect(
                events == [tried, .updated(good.url, initialized: true), .completed(nil)]
                    || events == [tried, .completed(nil)] && bench.cache.isCached(forKey: good.cacheKey))
        }
    }
}
