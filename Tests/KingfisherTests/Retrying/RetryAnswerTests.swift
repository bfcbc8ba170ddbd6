import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestTraits

@testable import Kingfisher

/// Strategies that answer when and as often as they like, and requests that are given up.
@Suite struct RetryAnswerTests {
    /// Keeps its handlers until a test uses them.
    private final class Keeper: Sendable {
        let handlers = Inbox<ScriptedStrategy.Handler>()
        let strategy: ScriptedStrategy

        init() {
            strategy = ScriptedStrategy { [handlers] _, handler in handlers.put(handler) }
        }
    }

    @Test("A strategy that answers at once may do so thousands of times in a row, in one stack")
    func synchronousAnswers() async throws {
        let bench = try Bench()
        let strategy = ScriptedStrategy(retries: 20_000)
        // Fails before the call returns, each time.
        let options: KingfisherOptionsInfo = [
            .retryStrategy(strategy), .onlyFromCache, .loadDiskFileSynchronously, .fromMemoryCacheOrRefresh,
        ]
        #expect(reason(try await bench.retrieve(nil, options)) == "imageNotExisting")
        #expect(strategy.questions.count == 20_001)
        #expect(strategy.questions.values.last?.retriedCount == 20_000)
    }

    @Test("Only the first of two answers counts", arguments: [true, false])
    func twice(retriesFirst: Bool) async throws {
        let rig = try RetryRig(failures: 1)
        let strategy = ScriptedStrategy { _, handler in
            handler(retriesFirst ? .retry(userInfo: nil) : .stop)
            handler(retriesFirst ? .stop : .retry(userInfo: nil))
            handler(.retry(userInfo: nil))
        }
        let outcome = try await rig.start(nil, strategy).only()
        #expect((outcome.failure == nil) == retriesFirst)
        #expect(rig.paths.count == (retriesFirst ? 2 : 1))
    }

    @Test("Eight threads answer the same question: one retry, one completion")
    func manyAnswers() async throws {
        let rig = try RetryRig(failures: 1)
        let strategy = ScriptedStrategy { _, handler in
            for _ in 0..<8 { Thread { handler(.retry(userInfo: nil)) }.start() }
        }
        _ = try await rig.start(nil, strategy).only().get()
        #expect(rig.paths.count == 2)
    }

    @Test("A handler that is let go of without an answer means stop")
    func silent() async throws {
        let rig = try RetryRig(failures: .max)
        let run = rig.start(nil, ScriptedStrategy { _, _ in }, [.alternativeSources([rig.good])])
        #expect(try await run.only().get().source == rig.good)
        let alone = rig.start(nil, ScriptedStrategy { _, _ in })
        #expect(try await alone.only().failure?.isInvalidResponseStatusCode(503) == true)
    }

    @Test(
        "A request that waits for a decision is cancelled at once, with the decision ignored",
        .behaviours("M-17"),
        arguments: [
            true, false,
        ])
    func cancelWhileAsked(retries: Bool) async throws {
        let rig = try RetryRig(failures: .max)
        let keeper = Keeper()
        let run = rig.start(
            nil, keeper.strategy, [.alternativeSources([rig.good]), .callbackQueue(.untouch)])
        let handler = try await keeper.handlers.first()
        #expect(run.outcomes.count == 0)
        try #require(run.task).cancel()
        // Before the call returns.
        #expect(run.outcomes.values.first?.failure?.isTaskCancelled == true)
        handler(retries ? .retry(userInfo: nil) : .stop)
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(rig.paths == ["first"])
    }

    /// An error that tells when it is let go of.
    private final class Wreck: Error {
        private let isGone: @Sendable () -> Void
        init(_ isGone: @escaping @Sendable () -> Void) { self.isGone = isGone }
        deinit { isGone() }
    }

    /// Counts its questions and keeps nothing of them.
    private struct Counter: RetryStrategy {
        let asked = Inbox<Int>()

        func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
            asked.put(context.retriedCount)
            retryHandler(.retry(userInfo: nil))
        }
    }

    @Test("A request that is cancelled between a failure and the question about it is not asked about")
    func cancelBeforeQuestion() async throws {
        struct Failing: ImageDataProvider {
            let cacheKey = "failing"
            let runs = Locked(0)
            let run: @Sendable (Int) -> Wreck

            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                let number = runs.withLock { runs -> Int in
                    runs += 1
                    return runs
                }
                // On main, where the test holds the first until it knows the task.
                DispatchQueue.main.async { handler(.failure(run(number))) }
            }
        }
        let rig = try RetryRig(failures: 0)
        let task = Locked<DownloadTask?>(nil)
        let counter = Counter()
        // The second error is let go of when the third takes its place, just before the third question.
        let provider = Failing { number in
            Wreck { if number == 2 { task.withLock { $0 }?.cancel() } }
        }
        let run = await MainActor.run {
            let run = rig.start(.provider(provider), counter)
            task.withLock { $0 = run.task }
            return run
        }
        #expect(reason(try await run.only()) == "dataProviderCancelled")
        #expect(counter.asked.values == [0, 1])
        task.withLock { $0 = nil }
    }

    @Test("A provider's request that waits ends as a provider's does")
    func cancelProvider() async throws {
        struct Broken: ImageDataProvider {
            let cacheKey = "broken"
            func data() async throws -> Data { throw CocoaError(.fileReadNoSuchFile) }
        }
        let rig = try RetryRig(failures: 0)
        let keeper = Keeper()
        let run = rig.start(.provider(Broken()), keeper.strategy)
        _ = try await keeper.handlers.first()
        try #require(run.task).cancel()
        #expect(reason(try await run.only()) == "dataProviderCancelled")
    }

    @Test("The newest task, of a retry that failed, cancels a request that waits, too", .behaviours("M-16"))
    func cancelByNewestTask() async throws {
        let rig = try RetryRig(failures: .max)
        let keeper = Keeper()
        let run = rig.start(nil, keeper.strategy)
        try await keeper.handlers.first()(.retry(userInfo: nil))
        let handler = try await keeper.handlers.first(2)[1]
        let newest = try #require(run.updated.values.last ?? nil)
        newest.cancel()
        #expect(try await run.only().failure?.isTaskCancelled == true)
        handler(.retry(userInfo: nil))
        await passMainQueue()
        #expect(run.outcomes.count == 1 && rig.paths.count == 2)
    }

    @Test("The task of an attempt that is over cancels nothing once the next has begun")
    func staleTask() async throws {
        let rig = try RetryRig(failures: 2)
        let keeper = Keeper()
        let run = rig.start(nil, keeper.strategy)
        try await keeper.handlers.first()(.retry(userInfo: nil))
        let handler = try await keeper.handlers.first(2)[1]
        let old = try #require(run.updated.values.last ?? nil)
        rig.bench.stub.hold()
        handler(.retry(userInfo: nil))
        #expect(await poll { rig.paths.count == 3 })
        old.cancel()
        await passMainQueue()
        #expect(run.outcomes.count == 0)
        rig.bench.stub.release()
        _ = try await run.only().get()
    }

    @Test("Each retry is told of once, with an initialised task, before the completion", .behaviours("M-16"))
    func updates() async throws {
        let rig = try RetryRig(failures: 2)
        let run = rig.start(nil, ScriptedStrategy(retries: 5))
        _ = try await run.only().get()
        let retried = RetryRig.Event.updated(rig.first.url, initialized: true)
        #expect(run.events.values == [retried, retried, .completed(nil)])
    }

    @Test(
        "Cancelling a retry's task from inside downloadTaskUpdated completes once, as cancelled",
        .behaviours("M-16"))
    func cancelInside() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy(retries: 5)
        let run = rig.start(nil, strategy, onUpdate: { $0?.cancel() })
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(strategy.counts == [0] && run.events.count == 2)
    }

    @Test("The returned task cancels a retry under way")
    func cancelRetry() async throws {
        let rig = try RetryRig(failures: .max)
        let run = rig.start(
            nil, ScriptedStrategy(retries: 5), onUpdate: { [stub = rig.bench.stub] _ in stub.hold() })
        #expect(await poll { rig.paths.count == 2 })
        try #require(run.task).cancel()
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(await poll { rig.bench.stub.liveTransfers == 0 })
    }

    @Test(
        "A cancelled request asks nobody, be it cancelled by its task or by the downloader",
        .behaviours("R-1", "R-2"),
        arguments: [
            true, false,
        ])
    func cancelledAsksNobody(byTask: Bool) async throws {
        let rig = try RetryRig(failures: .max)
        rig.bench.stub.hold()
        let strategy = ScriptedStrategy(retries: 5)
        let run = rig.start(nil, strategy)
        #expect(await poll { rig.paths.count == 1 })
        if byTask { run.task?.cancel() } else { rig.bench.downloader.cancelAll() }
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(strategy.counts.isEmpty)
    }

    @Test("A stale outcome asks nobody", .behaviours("S-4"))
    func stale() async throws {
        let rig = try RetryRig(failures: .max)
        let isCurrent = Locked(true)
        let modifier = AnyModifier { request in
            isCurrent.withLock { $0 = false }
            return request
        }
        let strategy = ScriptedStrategy(retries: 5)
        let run = rig.start(
            nil, strategy, [.requestModifier(modifier), .alternativeSources([rig.good])],
            isCurrent: { isCurrent.withLock { $0 } })
        #expect(reason(try await run.only()) == "invalidHTTPStatusCode")
        #expect(strategy.counts.isEmpty && rig.paths == ["first"])
    }

    @Test(
        "A request that becomes stale while the strategy thinks is not retried", .behaviours("S-4"),
        arguments: [true, false])
    func staleWhileAsked(retries: Bool) async throws {
        let rig = try RetryRig(failures: 1)
        let isCurrent = Locked(true)
        let strategy = ScriptedStrategy { _, handler in
            isCurrent.withLock { $0 = false }
            handler(retries ? .retry(userInfo: nil) : .stop)
        }
        let run = rig.start(
            nil, strategy, [.alternativeSources([rig.good])], isCurrent: { isCurrent.withLock { $0 } })
        #expect(reason(try await run.only()) == "invalidHTTPStatusCode")
        #expect(rig.paths == ["first"])
    }

    @Test("A cancelled request is let go of, though the strategy keeps its handler")
    func released() async throws {
        final class Token: Sendable {}
        let rig = try RetryRig(failures: .max)
        let keeper = Keeper()
        weak var token: Token?
        let run: RetryRig.Run
        do {
            let kept = Token()
            token = kept
            run = rig.start(
                nil, keeper.strategy,
                [
                    .imageModifier(
                        AnyImageModifier {
                            withExtendedLifetime(kept) { _ in }; return $0
                        })
                ])
        }
        _ = try await keeper.handlers.first()
        #expect(token != nil)
        run.task?.cancel()
        _ = try await run.only()
        #expect(await poll { token == nil })
        #expect(keeper.handlers.count == 1)
    }

    @Test("Async callers are retried while the main queue is blocked", .behaviours("R-2"))
    func mainQueueBlocked() async {
        // A process of its own: nobody else shall wait for the main queue meanwhile.
        await #expect(processExitsWith: .success) {
            let rig = try RetryRig(failures: 2)
            let (monitor, network) = (NetworkMonitor(), StubNetwork(isConnected: false))
            monitor.source = network
            let block = try await MainQueueBlock()
            defer { block.end() }
            let delaying = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0.01))
            let options: KingfisherOptionsInfo = [.retryStrategy(delaying)]
            #expect(
                try await rig.bench.manager.retrieveImage(with: rig.first, options: options).source
                    == rig.first)

            let waiting = NetworkRetryStrategy(timeoutInterval: 0.05, monitor: monitor)
            let failed = await #expect(throws: KingfisherError.self) {
                _ = try await rig.bench.manager.retrieveImage(
                    with: rig.other, options: [.retryStrategy(waiting)])
            }
            #expect(failed?.isInvalidResponseStatusCode(503) == true)
            #expect(block.isHolding)
        }
    }

    @Test("200 retried requests, cancelled at any moment: one completion each, nothing left over")
    func randomCancels() async throws {
        let rig = try RetryRig(failures: .max)
        let runs = (0..<200).map { _ in
            let strategy = ScriptedStrategy { context, handler in
                let decision: RetryDecision = context.retriedCount < 3 ? .retry(userInfo: nil) : .stop
                if Bool.random() { return handler(decision) }
                DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0...500))) {
                    handler(decision)
                }
            }
            let run = rig.start(nil, strategy, [.alternativeSources([rig.other]), .forceRefresh])
            let usesNewTask = Bool.random()
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0...8_000))) {
                if usesNewTask { run.updated.values.last??.cancel() } else { run.task?.cancel() }
            }
            return run
        }
        for run in runs {
            let name = try await run.outcomes.first().failure?.reasonName
            #expect(["taskCancelled", "alternativeSourcesExhausted"].contains(name), "\(name ?? "")")
        }
        #expect(await poll { rig.bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(runs.allSatisfy { $0.outcomes.count == 1 })
    }
}
