import Foundation
import KingfisherTestSupport
import Testing
import TestTraits

@testable import Kingfisher

/// Where decisions arrive that a strategy has waited for, whichever thread tells it that the wait is over.
@Suite @MainActor struct DecisionThreadTests {
    /// Notes whether the decisions of another strategy arrive on the main queue.
    private struct Listener: RetryStrategy {
        let strategy: any RetryStrategy
        let onMain = Inbox<Bool>()

        func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
            strategy.retry(context: context) { [onMain] decision in
                onMain.put(MainQueue.isCurrent)
                retryHandler(decision)
            }
        }
    }

    private let timer = ManualTimer()
    private let network = StubNetwork(isConnected: false)
    private let monitor: NetworkMonitor
    private let bench: Bench

    init() throws {
        let png = try TestImages.png
        let answers = Locked([StubAnswer(status: 503)])
        bench = try Bench { _ in answers.withLock { $0.popLast() } ?? .ok(png) }
        monitor = NetworkMonitor(timer: ManualTimer())
        monitor.source = network
    }

    private var delaying: Listener {
        Listener(
            strategy: DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(3), timer: timer))
    }

    private var waiting: Listener {
        Listener(strategy: NetworkRetryStrategy(timeoutInterval: nil, monitor: monitor))
    }

    private func waitForTimer() async throws {
        let timer = timer
        let isWaiting = await poll { @Sendable () -> Bool in timer.waits == [3] }
        try #require(isWaiting)
    }

    private func waitForObserver() async throws {
        let monitor = monitor
        let isWaiting = await poll { @Sendable () -> Bool in monitor.waitingObservers == 1 }
        try #require(isWaiting)
    }

    private func loadInView(_ strategy: Listener) -> ImageViewLoadingRig.Load {
        ImageViewLoadingRig(bench).load([.retryStrategy(strategy)])
    }

    private func loadAsync(_ strategy: Listener) -> Task<RetrieveImageResult, any Error> {
        let (manager, source) = (bench.manager, Source.network(bench.url))
        return Task { try await manager.retrieveImage(with: source, options: [.retryStrategy(strategy)]) }
    }

    @Test("For a view's load on main, though the time is over elsewhere", .behaviours("R-2"))
    func viewAfterDelay() async throws {
        let strategy = delaying
        let load = loadInView(strategy)
        try await waitForTimer()
        await Task.detached { [timer] in timer.advance(by: 3) }.value
        _ = try await load.result().get()
        #expect(strategy.onMain.values == [true])
    }

    @Test("For a view's load on main, though the network is back elsewhere", .behaviours("R-4"))
    func viewAfterNetwork() async throws {
        let strategy = waiting
        let load = loadInView(strategy)
        try await waitForObserver()
        await Task.detached { [network] in network.connects(true) }.value
        _ = try await load.result().get()
        #expect(strategy.onMain.values == [true])
    }

    @Test("For an async request in the background, though the time is over on main", .behaviours("R-2"))
    func asyncAfterDelay() async throws {
        let strategy = delaying
        let load = loadAsync(strategy)
        try await waitForTimer()
        timer.advance(by: 3)
        _ = try await load.value
        #expect(strategy.onMain.values == [false])
    }

    @Test(
        "For an async request in the background, though the network is announced on main", .behaviours("R-4"))
    func asyncAfterNetwork() async throws {
        let strategy = waiting
        let load = loadAsync(strategy)
        try await waitForObserver()
        network.connects(true)
        _ = try await load.value
        #expect(strategy.onMain.values == [false])
    }
}
