import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

/// Strategies that decide late or repeatedly, and cancelled requests.
@Suite struct RetryDecisionTests {
    /// Stores its handlers for the test.
    private final class DeferredDecisions: Sendable {
        let handlers = Inbox<ScriptedStrategy.Handler>()
        let strategy: ScriptedStrategy

        init() {
            strategy = ScriptedStrategy { [handlers] _, handler in handlers.put(handler) }
        }
    }

    @Test("Thousands of synchronous decisions in a row do not exhaust the stack")
    func synchronousAnswers() async throws {
        let bench = try Bench()
        let strategy = ScriptedStrategy(retries: 20_000)
        // Fails synchronously each time.
        let options: KingfisherOptionsInfo = [
            .retryStrategy(strategy), .onlyFromCache, .loadDiskFileSynchronously, .fromMemoryCacheOrRefresh,
        ]
        #expect(reason(try await bench.retrieve(nil, options)) == "imageNotExisting")
        #expect(strategy.questions.count == 20_001)
        #expect(strategy.questions.values.last?.retriedCount == 20_000)
    }

    @Test("Only the first of several decisions counts", arguments: [true, false])
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

    @Test("Eight threads that decide the same retry cause one retry and one completion")
    func manyAnswers() async throws {
        let rig = try RetryRig(failures: 1)
        let strategy = ScriptedStrategy { _, handler in
            for _ in 0..<8 { Thread { handler(.retry(userInfo: nil)) }.start() }
        }
        _ = try await rig.start(nil, strategy).only().get()
        #expect(rig.paths.count == 2)
    }

    @Test("A handler that is released without a decision means stop")
    func silent() async throws {
        let rig = try RetryRig(failures: .max)
        let run = rig.start(nil, ScriptedStrategy { _, _ in }, [.alternativeSources([rig.good])])
        #expect(try await run.only().get().source == rig.good)
        let alone = rig.start(nil, ScriptedStrategy { _, _ in })
        #expect(try await alone.only().failure?.isInvalidResponseStatusCode(503) == true)
    }

    @Test(
        "Cancelling a request during a decision completes it synchronously and ignores the decision",
        .behaviours("M-17"),
        arguments: [
            true, false,
        ])
    func cancelDuringDecision(retries: Bool) async throws {
        let rig = try RetryRig(failures: .max)
        let deferred = DeferredDecisions()
        let run = rig.start(
            nil, deferred.strategy, [.alternativeSources([rig.good]), .callbackQueue(.untouch)])
        let handler = try await deferred.handlers.first()
        #expect(run.outcomes.count == 0)
        try #require(run.task).cancel()
        // Synchronously.
        #expect(run.outcomes.values.first?.failure?.isTaskCancelled == true)
        handler(retries ? .retry(userInfo: nil) : .stop)
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(rig.paths == ["first"])
    }

    /// An error that reports its deinitialisation.
    private final class DeinitReportingError: Error {
        private let onDeinit: @Sendable () -> Void
        init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
        deinit { onDeinit() }
    }

    /// Counts the decisions and retains no context.
    private struct CountingStrategy: RetryStrategy {
        let asked = Inbox<Int>()

        func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
            asked.put(context.retriedCount)
            retryHandler(.retry(userInfo: nil))
        }
    }

    @Test("A request cancelled between a failure and the decision does not ask the strategy")
    func cancelBeforeDecision() async throws {
        struct Failing: ImageDataProvider {
            let cacheKey = "failing"
            let runs = Locked(0)
            let run: @Sendable (Int) -> DeinitReportingError

            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                let number = runs.withLock { runs -> Int in
                    runs += 1
                    return runs
                }
                // On the main queue, where the test holds the first failure until it has the task.
                DispatchQueue.main.async { handler(.failure(run(number))) }
            }
        }
        let rig = try RetryRig(failures: 0)
        let task = Locked<DownloadTask?>(nil)
        let counter = CountingStrategy()
        // The second error is released when the third replaces it, just before the third decision.
        let provider = Failing { number in
            DeinitReportingError { if number == 2 { task.withLock { $0 }?.cancel() } }
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

    @Test("Cancelling a provider's request during a decision gives a provider's error")
    func cancelProvider() async throws {
        let rig = try RetryRig(failures: 0)
        let deferred = DeferredDecisions()
        let run = rig.start(.provider(UnreadableProvider()), deferred.strategy)
        _ = try await deferred.handlers.first()
        try #require(run.task).cancel()
        #expect(reason(try await run.only()) == "dataProviderCancelled")
    }

    @Test("The task of the latest retry cancels a request during a decision", .behaviours("M-16"))
    func cancelByNewestTask() async throws {
        let rig = try RetryRig(failures: .max)
        let deferred = DeferredDecisions()
        let run = rig.start(nil, deferred.strategy)
        try await deferred.handlers.first()(.retry(userInfo: nil))
        let handler = try await deferred.handlers.first(2)[1]
        let newest = try #require(run.updated.values.last ?? nil)
        newest.cancel()
        #expect(try await run.only().failure?.isTaskCancelled == true)
        handler(.retry(userInfo: nil))
        await passMainQueue()
        #expect(run.outcomes.count == 1 && rig.paths.count == 2)
    }

    @Test("The task of an earlier attempt cancels nothing after the next one has started")
    func staleTask() async throws {
        let rig = try RetryRig(failures: 2)
        let deferred = DeferredDecisions()
        let run = rig.start(nil, deferred.strategy)
        try await deferred.handlers.first()(.retry(userInfo: nil))
        let handler = try await deferred.handlers.first(2)[1]
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

    @Test("Each retry is reported once, with an initialised task, before the completion", .behaviours("M-16"))
    func updates() async throws {
        let rig = try RetryRig(failures: 2)
        let run = rig.start(nil, ScriptedStrategy(retries: 5))
        _ = try await run.only().get()
        let retried = RetryRig.Event.updated(rig.first.url, initialized: true)
        #expect(run.events.values == [retried, retried, .completed(nil)])
    }

    @Test(
        "Cancelling a retry's task inside downloadTaskUpdated completes once as cancelled",
        .behaviours("M-16"))
    func cancelInside() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy(retries: 5)
        let run = rig.start(nil, strategy, onUpdate: { $0?.cancel() })
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(strategy.counts == [0] && run.events.count == 2)
    }

    @Test("The returned task cancels a running retry")
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
        "A request cancelled by its task or by the downloader does not ask the strategy",
        .behaviours("R-1", "R-2"),
        arguments: [
            true, false,
        ])
    func cancelledRequest(byTask: Bool) async throws {
        let rig = try RetryRig(failures: .max)
        rig.bench.stub.hold()
        let strategy = ScriptedStrategy(retries: 5)
        let run = rig.start(nil, strategy)
        #expect(await poll { rig.paths.count == 1 })
        if byTask { run.task?.cancel() } else { rig.bench.downloader.cancelAll() }
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(strategy.counts.isEmpty)
    }

    @Test("A stale result does not ask the strategy", .behaviours("S-4"))
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
        "A request that becomes stale during a decision is not retried", .behaviours("S-4"),
        arguments: [true, false])
    func staleDuringDecision(retries: Bool) async throws {
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

    @Test("A cancelled request is released even if the strategy retains its handler")
    func released() async throws {
        final class Token: Sendable {}
        let rig = try RetryRig(failures: .max)
        let deferred = DeferredDecisions()
        weak var token: Token?
        let run: RetryRig.Run
        do {
            let retained = Token()
            token = retained
            run = rig.start(
                nil, deferred.strategy,
                [
                    .imageModifier(
                        AnyImageModifier {
                            withExtendedLifetime(retained) { _ in }; return $0
                        })
                ])
        }
        _ = try await deferred.handlers.first()
        #expect(token != nil)
        run.task?.cancel()
        _ = try await run.only()
        #expect(await poll { token == nil })
        #expect(deferred.handlers.count == 1)
    }

    @Test("Async callers are retried while the main queue is blocked", .behaviours("R-2"))
    func mainQueueBlocked() async {
        // In a separate process, because this blocks the main queue.
        await #expect(processExitsWith: .success) {
            let rig = try RetryRig(failures: 2)
            let (monitor, network) = (NetworkMonitor(), StubNetwork(isConnected: false))
            monitor.source = network
            let block = try await MainQueueBlocker()
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

    @Test("200 retried requests cancelled at random complete once each and release everything")
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
