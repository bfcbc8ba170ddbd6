import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// The queue on which a delayed decision arrives, independent of the thread that ends the delay.
@Suite @MainActor struct DecisionThreadTests {
    /// Records whether the decisions of another strategy arrive on the main queue.
    private struct QueueRecordingStrategy: RetryStrategy {
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
    /// Holds the view until the test ends.
    private let rig: ImageViewLoadingRig

    init() throws {
        let png = try TestImages.png
        let answers = Locked([StubAnswer(status: 503)])
        bench = try Bench { _ in answers.withLock { $0.popLast() } ?? .ok(png) }
        rig = ImageViewLoadingRig(bench)
        monitor = NetworkMonitor(timer: ManualTimer())
        monitor.source = network
    }

    private var delaying: QueueRecordingStrategy {
        QueueRecordingStrategy(
            strategy: DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(3), timer: timer))
    }

    private var waiting: QueueRecordingStrategy {
        QueueRecordingStrategy(strategy: NetworkRetryStrategy(timeoutInterval: nil, monitor: monitor))
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

    private func loadInView(_ strategy: QueueRecordingStrategy) -> ImageViewLoadingRig.Load {
        rig.load([.retryStrategy(strategy)])
    }

    private func loadAsync(_ strategy: QueueRecordingStrategy) -> Task<RetrieveImageResult, any Error> {
        let (manager, source) = (bench.manager, Source.network(bench.url))
        return Task { try await manager.retrieveImage(with: source, options: [.retryStrategy(strategy)]) }
    }

    @Test("A delayed retry of a view's load is decided on the main queue", .behaviours("R-2"))
    func viewAfterDelay() async throws {
        let strategy = delaying
        let load = loadInView(strategy)
        try await waitForTimer()
        await Task.detached { [timer] in timer.advance(by: 3) }.value
        _ = try await load.result().get()
        #expect(strategy.onMain.values == [true])
    }

    @Test("A network retry of a view's load is decided on the main queue", .behaviours("R-4"))
    func viewAfterNetwork() async throws {
        let strategy = waiting
        let load = loadInView(strategy)
        try await waitForObserver()
        await Task.detached { [network] in network.connects(true) }.value
        _ = try await load.result().get()
        #expect(strategy.onMain.values == [true])
    }

    @Test("A delayed retry of an async request is decided in the background", .behaviours("R-2"))
    func asyncAfterDelay() async throws {
        let strategy = delaying
        let load = loadAsync(strategy)
        try await waitForTimer()
        timer.advance(by: 3)
        _ = try await load.value
        #expect(strategy.onMain.values == [false])
    }

    @Test(
        "A network retry of an async request is decided in the background", .behaviours("R-4"))
    func asyncAfterNetwork() async throws {
        let strategy = waiting
        let load = loadAsync(strategy)
        try await waitForObserver()
        network.connects(true)
        _ = try await load.value
        #expect(strategy.onMain.values == [false])
    }
}
