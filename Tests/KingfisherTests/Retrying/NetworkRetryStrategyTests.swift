import Foundation
import KingfisherTestSupport
import Testing
import TestTraits

@testable import Kingfisher

///
@Suite struct NetworkRetryStrategyTests {
    /// Unchecked: the strategy carries an observer, which is sendable.
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

    @Test("Online: at once, without user info", .behaviours("R-4"))
    func connected() throws {
        network.connects(true)
        let answer = try #require(ask(context()).values.first)
        #expect(answer.retries && answer.userInfo == nil)
        #expect(monitor.waitingObservers == 0 && timer.waits.isEmpty)
    }

    @Test(
        "Cancelled and other failures than the network's stop, online or not", .behaviours("R-4"),
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
        "Offline: when the network is back, with the observer as user info, on main, once", .behaviours("R-4")
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

    @Test("Or stops at the timeout, not before", .behaviours("R-4"), arguments: [30, 0.5])
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

    @Test("The default timeout is 30 seconds; with nil there is none", .behaviours("R-4"))
    func timeouts() {
        _ = ask(context(), timeout: nil)
        #expect(timer.waits.isEmpty)
        NetworkRetryStrategy(monitor: monitor).retry(context: context()) { _ in }
        #expect(timer.waits == [30])
    }

    @Test(
        "A second question with the same context cancels the first observer, which is never told",
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

    @Test("Online and failing all the same: three times, then enough", .behaviours("R-4"))
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
        // Offline again, it has a reason to wait.
        network.connects(false)
        _ = ask(context)
        #expect(monitor.waitingObservers == 1)
    }

    @Test(
        "Waits for the network count for none of the three retries online, nor do these for the waits",
        .behaviours("R-4"))
    func countsApart() async throws {
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

    @Test("An observer that was cancelled does not begin to wait", .behaviours("R-5"), arguments: [nil, 10])
    func cancelledBefore(timeout: TimeInterval?) {
        let told = Inbox<Bool>()
        let observer = NetworkObserver(monitor: monitor, queue: .untouch) { told.put($1) }
        observer.cancel()
        observer.start(timeoutInterval: timeout)
        #expect(monitor.waitingObservers == 0 && timer.waits.isEmpty)
        network.connects(true)
        #expect(told.count == 0)
    }

    @Test("Asked about a request that was given up meanwhile, it waits for nothing", .behaviours("R-4"))
    func abandoned() {
        let context = context()
        context.abandon()
        let answers = ask(context, timeout: nil)
        #expect(monitor.waitingObservers == 0 && timer.waits.isEmpty)
        network.connects(true)
        #expect(answers.count == 0)
    }

    @Test("A request whose callbacks need no main queue is answered without it")
    func withoutMain() async throws {
        let answers = ask(context(isForMain: false))
        network.connects(true)
        let answer = try await answers.first()
        #expect(answer.retries && !answer.onMain)
    }
}

extension NetworkRetryStrategy {
    fileprivate init(monitor: NetworkMonitor) {
        // What the public initialiser's default is.
        let seconds =
            Mirror(reflecting: NetworkRetryStrategy()).descendant("timeoutInterval") as? TimeInterval
        self.init(timeoutInterval: seconds, monitor: monitor)
    }
}
