import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing
import TestHelpers

@testable import Kingfisher

/// When a manager asks a retry strategy, and the effect of the decisions.
@Suite struct RetryTests {
    @Test("Each failure asks with the retry count, and a success completes once", .behaviours("R-1"))
    func counts() async throws {
        let rig = try RetryRig(failures: 3)
        let strategy = ScriptedStrategy(retries: 5)
        let result = try await rig.start(nil, strategy).only().get()
        #expect(result.source == rig.first && result.cacheType == .none)
        #expect(strategy.counts == [0, 1, 2])
        #expect(rig.paths == ["first", "first", "first", "first"])
    }

    @Test("Three failing retries ask four times, then complete once with the failure", .behaviours("R-1"))
    func exhausted() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy(retries: 3)
        let outcome = try await rig.start(nil, strategy).only()
        #expect(outcome.failure?.isInvalidResponseStatusCode(503) == true)
        #expect(strategy.counts == [0, 1, 2, 3])
    }

    @Test("A success does not ask the strategy", .behaviours("R-1"))
    func success() async throws {
        let rig = try RetryRig(failures: 0)
        let strategy = ScriptedStrategy(retries: 3)
        _ = try await rig.start(nil, strategy).only().get()
        #expect(strategy.counts.isEmpty)
    }

    @Test("User info is nil first, then the value of the last decision", .behaviours("R-1"))
    func userInfo() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy { context in
            switch context.retriedCount {
            case 0: .retry(userInfo: "one")
            case 1: .retry(userInfo: nil)
            case 2: .retry(userInfo: "three")
            default: .stop
            }
        }
        _ = try await rig.start(nil, strategy).only()
        #expect(strategy.questions.values.map { $0.userInfo as? String } == [nil, "one", nil, "three"])
    }

    @Test(
        "An empty body asks a custom strategy and is never retried by DelayRetryStrategy",
        .behaviours("R-3"))
    func emptyBody() async throws {
        let bench = try Bench(serving: Data())
        let strategy = ScriptedStrategy(retries: 1)
        let custom = try await bench.retrieve(nil, [.retryStrategy(strategy)])
        #expect(reason(custom) == "processingFailed")
        #expect(strategy.counts == [0, 1] && bench.stub.requests.count == 2)
        let delaying = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0))
        #expect(reason(try await bench.retrieve(nil, [.retryStrategy(delaying)])) == "processingFailed")
        #expect(bench.stub.requests.count == 3)
    }

    @Test(
        "DelayRetryStrategy retries a server error in a manager after its interval", .behaviours("R-2"))
    func delaying() async throws {
        let rig = try RetryRig(failures: 2)
        let timer = ManualTimer()
        let strategy = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .accumulated(3), timer: timer)
        let run = rig.start(nil, strategy)
        #expect(await poll { timer.waits == [3] })
        #expect(rig.paths.count == 1 && run.outcomes.count == 0)
        timer.advance(by: 3)
        #expect(await poll { timer.waits == [3, 6] })
        timer.advance(by: 6)
        #expect(try await run.only().get().source == rig.first)
    }

    @Test("NetworkRetryStrategy in a manager waits offline and retries online", .behaviours("R-4"))
    func networkBack() async throws {
        let rig = try RetryRig(failures: 1)
        let (monitor, network) = (NetworkMonitor(timer: ManualTimer()), StubNetwork(isConnected: false))
        monitor.source = network
        let run = rig.start(nil, NetworkRetryStrategy(timeoutInterval: 30, monitor: monitor))
        #expect(await poll { monitor.waitingObservers == 1 })
        #expect(run.outcomes.count == 0)
        network.connects(true)
        #expect(try await run.only().get().source == rig.first)
    }

    @Test("Cancelling a request that waits for the network ends the wait", .behaviours("R-4"))
    func cancelledOffline() async throws {
        let rig = try RetryRig(failures: .max)
        let (monitor, network) = (NetworkMonitor(timer: ManualTimer()), StubNetwork(isConnected: false))
        monitor.source = network
        let run = rig.start(nil, NetworkRetryStrategy(timeoutInterval: nil, monitor: monitor))
        #expect(await poll { monitor.waitingObservers == 1 })
        run.task?.cancel()
        #expect(monitor.waitingObservers == 0)
        network.connects(true)
        #expect(try await run.only().failure?.isTaskCancelled == true)
        #expect(rig.paths.count == 1)
    }

    @Test("All attempts share one context with the first and the latest error", .behaviours("R-6"))
    func oneContext() async throws {
        let png = try TestImages.png
        let answers = Locked([StubAnswer(status: 500), .ok(Data()), StubAnswer(status: 404), .ok(png)])
        let bench = try Bench { _ in answers.withLock { $0.removeFirst() } }
        let strategy = ScriptedStrategy(retries: 5)
        _ = try await bench.retrieve(nil, [.retryStrategy(strategy)]).get()
        let questions = strategy.questions.values
        #expect(Set(questions.map { ObjectIdentifier($0.context) }).count == 1)
        let context = try #require(questions.first?.context)
        #expect(context.error.isInvalidResponseStatusCode(500) && context.source.url == bench.url)
        #expect(
            questions.map(\.latestError.reasonName) == [
                "invalidHTTPStatusCode", "processingFailed", "invalidHTTPStatusCode",
            ])
    }

    @Test("Requests do not share a context", .behaviours("R-6"))
    func contextPerRequest() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy(retries: 0)
        for _ in 0..<2 { _ = try await rig.start(nil, strategy).only() }
        #expect(strategy.counts == [0, 0])
        #expect(strategy.questions.values[0].context !== strategy.questions.values[1].context)
    }

    @Test(
        "A retry reads the caches again and uses a new entry without a request",
        .behaviours("R-6"),
        arguments: [
            CacheType.memory, .disk,
        ])
    func cachesAgain(type: CacheType) async throws {
        let rig = try RetryRig(failures: .max)
        let (image, png) = (try TestImages.image, try TestImages.png)
        let (cache, key) = (rig.bench.cache, rig.first.cacheKey)
        let strategy = ScriptedStrategy { _, handler in
            if type == .memory {
                cache.memoryStorage.store(value: image, forKey: key)
                return handler(.retry(userInfo: nil))
            }
            cache.storeToDisk(png, forKey: key) { _ in handler(.retry(userInfo: nil)) }
        }
        #expect(try await rig.start(nil, strategy).only().get().cacheType == type)
        #expect(rig.paths == ["first"])
    }

    @Test(
        "A retry after an alternative's failure starts with the original, and alternatives may follow",
        .behaviours("R-6"))
    func retryAfterAlternative() async throws {
        let rig = try RetryRig(failures: 2)
        // Failures of the original stop, those of the alternative are retried.
        let strategy = ScriptedStrategy { context in
            guard case .responseError(.invalidHTTPStatusCode(let response)) = context.latestError,
                response.url?.lastPathComponent == "other"
            else { return .stop }
            return .retry(userInfo: nil)
        }
        let result = try await rig.start(nil, strategy, [.alternativeSources([rig.other])]).only().get()
        #expect(result.source == rig.first)
        #expect(rig.paths == ["first", "other", "first", "other", "first"])
        #expect(strategy.counts == [0, 0, 1, 1])
        #expect(Set(strategy.questions.values.map { ObjectIdentifier($0.context) }).count == 1)
    }

    @Test(
        "A stop proceeds to the alternatives, each with decisions; all failures are listed once",
        .behaviours("M-15", "R-1")
    )
    func alternatives() async throws {
        let rig = try RetryRig(failures: .max)
        let stopping = ScriptedStrategy(retries: 0)
        let found = try await rig.start(nil, stopping, [.alternativeSources([rig.other, rig.good])]).only()
            .get()
        #expect(found.source == rig.good && found.originalSource == rig.first)
        #expect(stopping.counts == [0, 0])

        let retrying = ScriptedStrategy(retries: 2)
        let outcome = try await rig.start(nil, retrying, [.alternativeSources([rig.other])]).only()
        guard case .imageSettingError(.alternativeSourcesExhausted(let failures)) = outcome.failure else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failures.map(\.source) == [rig.first, rig.other])
        #expect(retrying.counts == [0, 1, 2, 2])
    }

    @Test("Failures of providers and misses of onlyFromCache ask the strategy")
    func otherFailures() async throws {
        let rig = try RetryRig(failures: 0)
        let strategy = ScriptedStrategy(retries: 2)
        let outcome = try await rig.start(.provider(UnreadableProvider()), strategy).only()
        #expect(reason(outcome) == "dataProviderError")
        #expect(strategy.counts == [0, 1, 2])
        let other = ScriptedStrategy(retries: 2)
        #expect(reason(try await rig.start(nil, other, [.onlyFromCache]).only()) == "imageNotExisting")
        #expect(other.counts == [0, 1, 2] && rig.paths.isEmpty)
    }

    @Test(
        "A low-data source is loaded once, without a decision about the source it replaces",
        .behaviours("M-18"))
    func lowData() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy(retries: 3)
        let result = try await rig.loadMetered(strategy, lowData: rig.good).get()
        #expect(result.source == rig.good)
        #expect(rig.paths == ["good"] && strategy.counts.isEmpty)
    }

    @Test(
        "A failed low-data source asks the strategy, and a retry avoids the metered network again",
        .behaviours("M-18"))
    func lowDataFails() async throws {
        let rig = try RetryRig(failures: .max)
        let strategy = ScriptedStrategy(retries: 2)
        let outcome = try await rig.loadMetered(strategy, lowData: rig.other)
        #expect(outcome.failure?.isInvalidResponseStatusCode(503) == true)
        #expect(rig.paths == ["other", "other", "other"])
        #expect(strategy.counts == [0, 1, 2])
        #expect(strategy.questions.values.allSatisfy { $0.context.source == rig.first })
    }
}

extension RetryRig {
    /// Loads on a metered network.
    fileprivate func loadMetered(_ strategy: any RetryStrategy, lowData: Source) async throws -> Outcome {
        let monitor = NetworkMonitor()
        monitor.source = StubNetwork(isMetered: true)
        let manager = KingfisherManager(
            downloader: bench.downloader, cache: bench.cache, networkMonitor: monitor)
        return try await start(nil, strategy, [.lowDataMode(lowData)], manager: manager).only()
    }
}
