import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

///
@Suite struct NetworkRetryStrategyTests {
    /// Unchecked: the user info is an observer, which is sendable.
    private struct Answer: @unchecked Sendable {
        let retries: Bool
        let userInfo: Any?
        let onMain: Bool

        init(_ decision: RetryDecision) {
            onMain = MainQueue.isCurrent
            switch decision {
            case .retry(let info): (retries, userInfo) = (true, info)
            case .stop: (retries, userInfo) = (false, nil)
            }
        }
    }

    private let timer = ManualTimer()
    private let network = StubNetwork(isConnected: false)
    private let monitor: NetworkMonitor
    private let url = URL(string: "http://stub.invalid/x") ?? URL(filePath: "/")

    init() {
        monitor = NetworkMonitor(timer: timer)
        monitor.source = network
    }

    private func context(_ error: KingfisherError = .status(503), isForMain: Bool = true) -> RetryContext {
        RetryContext(source: .network(url), error: error, isForMain: isForMain)
    }

    private func ask(_ context: RetryContext, timeout: TimeInterval? = 30) -> Inbox<Answer> {
        let inbox = Inbox<Answer>()
        NetworkRetryStrategy(timeoutInterval: timeout, monitor: monitor).retry(context: context) {
            inbox.put(Answer($0))
        }
        return inbox
    }

    @Test("Online it retries synchronously without user info", .behaviours("R-4"))
    func connected() throws {
        network.connects(true)
        let answer = try #require(ask(context()).values.first)
        #expect(answer.retries && answer.userInfo == nil)
        #expect(monitor.waitingObservers == 0 && timer.waits.isEmpty)
    }

    @Test(
        "Cancellations and errors of other kinds stop, online and offline", .behaviours("R-4"),
        arguments: [true, false])
    func otherErrors(isConnected: Bool) {
        network.connects(isConnected)
        for error: KingfisherError in [.cancelled(url), .unprocessable, .requestError(reason: .emptyRequest)]
        {
            #expect(ask(context(error)).values.map(\.retries) == [false])
        }
        #expect(monitor.waitingObservers == 0)
    }

    @Test(
        "Offline it retries once the network is back, on the main queue, with the observer as user info",
        .behaviours("R-4")
    )
    func waits() async throws {
        let context = context()
        let answers = ask(context)
        await passMainQueue()
        #expect(answers.count == 0)
        network.connects(true)
        let answer = try await answers.first()
        #expect(answer.retries && answer.onMain)
        #expect(answer.userInfo as? NetworkObserver === context.userInfo as? NetworkObserver)
        #expect(answer.userInfo is NetworkObserver)
        timer.advance(by: 60)
        await passMainQueue()
        #expect(answers.count == 1 && monitor.waitingObservers == 0)
    }

    @Test("Offline it stops at the timeout", .behaviours("R-4"), arguments: [30, 0.5])
    func timeout(seconds: TimeInterval) async throws {
        let answers = ask(context(), timeout: seconds)
        timer.advance(by: seconds - 0.25)
        await passMainQueue()
        #expect(answers.count == 0)
        timer.advance(by: 0.25)
        #expect(try await answers.first().retries == false)
        network.connects(true)
        await passMainQueue()
        #expect(answers.count == 1 && monitor.waitingObservers == 0)
    }

    @Test("The default timeout is 30 seconds, and nil means none", .behaviours("R-4"))
    func timeouts() {
        _ = ask(context(), timeout: nil)
        #expect(timer.waits.isEmpty)
        NetworkRetryStrategy(monitor: monitor).retry(context: context()) { _ in }
        #expect(timer.waits == [30])
    }

    @Test(
        "A second decision with the same context cancels the first observer without a callback",
        .behaviours("R-4"))
    func secondQuestion() async throws {
        let context = context()
        let first = ask(context)
        let observer = try #require(context.userInfo as? NetworkObserver)
        let second = ask(context)
        #expect(context.userInfo as? NetworkObserver !== observer)
        #expect(monitor.waitingObservers == 1)
        network.connects(true)
        #expect(try await second.first().retries)
        timer.advance(by: 60)
        await passMainQueue()
        #expect(first.count == 0 && second.count == 1)
    }

    @Test("Failures while online stop after three retries", .behaviours("R-4"))
    func boundedOnline() {
        network.connects(true)
        let context = context()
        var decisions: [Bool] = []
        for _ in 0..<5 {
            let retries = ask(context).values.first?.retries ?? false
            decisions.append(retries)
            if retries { context.noteRetry(userInfo: nil) }
        }
        #expect(decisions == [true, true, true, false, false])
        // Offline it waits again.
        network.connects(false)
        _ = ask(context)
        #expect(monitor.waitingObservers == 1)
    }

    @Test(
        "Retries while online and waits for the network are counted separately",
        .behaviours("R-4"))
    func separateCounts() async throws {
        let context = context()
        var online: [Bool] = []
        for _ in 0..<4 {
            network.connects(false)
            let waiting = ask(context)
            network.connects(true)
            let waited = try await waiting.first()
            #expect(waited.retries)
            context.noteRetry(userInfo: waited.userInfo)
            let retries = try #require(ask(context).values.first).retries
            online.append(retries)
            if retries { context.noteRetry(userInfo: nil) }
        }
        #expect(online == [true, true, true, false])
    }

    @Test("A cancelled observer does not start to wait", .behaviours("R-5"), arguments: [nil, 10])
    func cancelledBefore(timeout: TimeInterval?) {
        let results = Inbox<Bool>()
        let observer = NetworkObserver(monitor: monitor, queue: .untouch) { results.put($1) }
        observer.cancel()
        observer.start(timeoutInterval: timeout)
        #expect(monitor.waitingObservers == 0 && timer.waits.isEmpty)
        network.connects(true)
        #expect(results.count == 0)
    }

    @Test("A cancelled request does not wait", .behaviours("R-4"))
    func cancelledRequest() {
        let context = context()
        context.abandon()
        let answers = ask(context, timeout: nil)
        #expect(monitor.waitingObservers == 0 && timer.waits.isEmpty)
        network.connects(true)
        #expect(answers.count == 0)
    }

    @Test("A request with background callbacks is decided off the main queue")
    func withoutMain() async throws {
        let answers = ask(context(isForMain: false))
        network.connects(true)
        let answer = try await answers.first()
        #expect(answer.retries && !answer.onMain)
    }
}

extension NetworkRetryStrategy {
    fileprivate init(monitor: NetworkMonitor) {
        // The default of the public initialiser.
        let seconds =
            Mirror(reflecting: NetworkRetryStrategy()).descendant("timeoutInterval") as? TimeInterval
        self.init(timeoutInterval: seconds, monitor: monitor)
    }
}
