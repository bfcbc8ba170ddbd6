import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

///
@Suite struct DelayRetryStrategyTests {
    private enum Answer: Equatable, Sendable {
        case retry(onMain: Bool)
        case retryWithUserInfo
        case stop
    }

    private static let url = URL(string: "http://stub.invalid/x") ?? URL(filePath: "/")

    private let timer = ManualTimer()

    private func context(
        _ error: KingfisherError = .status(503), retried count: Int = 0, isForMain: Bool = true
    ) -> RetryContext {
        let context = RetryContext(source: .network(Self.url), error: error, isForMain: isForMain)
        for _ in 0..<count { context.noteRetry(userInfo: nil) }
        return context
    }

    private func ask(_ strategy: DelayRetryStrategy, _ context: RetryContext) -> Inbox<Answer> {
        let inbox = Inbox<Answer>()
        strategy.retry(context: context) { decision in
            switch decision {
            case .retry(nil): inbox.put(.retry(onMain: MainQueue.isCurrent))
            case .retry: inbox.put(.retryWithUserInfo)
            case .stop: inbox.put(.stop)
            }
        }
        return inbox
    }

    private func strategy(_ count: Int, _ interval: DelayRetryStrategy.Interval) -> DelayRetryStrategy {
        DelayRetryStrategy(maxRetryCount: count, retryInterval: interval, timer: timer)
    }

    @Test(
        "An interval of at most 0 is decided synchronously", .behaviours("R-2"),
        arguments: [0, -1, .nan])
    func synchronous(interval: TimeInterval) {
        let answers = ask(strategy(1, .seconds(interval)), context())
        #expect(answers.values == [.retry(onMain: false)])
        #expect(timer.waits.isEmpty)
    }

    @Test(
        "A positive interval is decided once, after the interval, on the main queue, without user info",
        .behaviours("R-2"))
    func delayed() async throws {
        let answers = ask(strategy(1, .seconds(3)), context())
        timer.advance(by: 2.9)
        await passMainQueue()
        #expect(answers.count == 0)
        timer.advance(by: 0.1)
        #expect(try await answers.first() == .retry(onMain: true))
        timer.advance(by: 100)
        await passMainQueue()
        #expect(answers.count == 1)
    }

    @Test("A request with background callbacks is decided on a background queue", .behaviours("R-2"))
    func delayedWithoutMain() async throws {
        let answers = ask(strategy(1, .seconds(3)), context(isForMain: false))
        timer.advance(by: 3)
        #expect(try await answers.first() == .retry(onMain: false))
    }

    @Test(
        "The maximum number of retries stops synchronously", .behaviours("R-2"),
        arguments: [(0, 0), (1, 1), (3, 3), (3, 7)])
    func exhausted(max: Int, count: Int) {
        #expect(ask(strategy(max, .seconds(3)), context(retried: count)).values == [.stop])
        #expect(timer.waits.isEmpty)
    }

    @Test("Errors other than network and server failures stop synchronously", .behaviours("R-2", "R-3"))
    func otherErrors() {
        let provider = RawImageDataProvider(data: Data(), cacheKey: "p")
        let errors: [KingfisherError] = [
            .cancelled(Self.url), .unprocessable, .requestError(reason: .emptyRequest),
            .cacheError(reason: .imageNotExisting(key: "k")),
            .requestError(reason: .dataProviderCancelled(provider: provider)),
            .imageSettingError(
                reason: .dataProviderError(provider: provider, error: CocoaError(.fileNoSuchFile))),
        ]
        for error in errors { #expect(ask(strategy(9, .seconds(0)), context(error)).values == [.stop]) }
    }

    @Test("The latest failure decides, not the first of the request", .behaviours("R-3"))
    func latestError() {
        let context = context(.status(503))
        context.noteFailure(.unprocessable)
        #expect(ask(strategy(9, .seconds(0)), context).values == [.stop])
        context.noteFailure(.status(500))
        #expect(ask(strategy(9, .seconds(0)), context).values == [.retry(onMain: false)])
        guard case .responseError(.invalidHTTPStatusCode(let response)) = context.error else {
            Issue.record("\(context.error)")
            return
        }
        #expect(response.statusCode == 503)
    }

    @Test(
        "Accumulated intervals are 3, 6, 9, 12; a custom interval receives the retry count",
        .behaviours("R-2"))
    func intervals() {
        for count in 0..<4 {
            _ = ask(strategy(9, .accumulated(3)), context(retried: count))
            _ = ask(strategy(9, .custom { Double($0 * $0 + 1) }), context(retried: count))
            _ = ask(strategy(9, .seconds(7)), context(retried: count))
        }
        #expect(timer.waits == [3, 1, 7, 6, 2, 7, 9, 5, 7, 12, 10, 7])
    }

    @Test("The default interval is 3 seconds", .behaviours("R-2"))
    func defaults() {
        let strategy = DelayRetryStrategy(maxRetryCount: 5)
        #expect(strategy.maxRetryCount == 5)
        guard case .seconds(3) = strategy.retryInterval else {
            Issue.record("\(strategy.retryInterval)")
            return
        }
    }

    @Test("The system timer fires soon after the interval, and accepts an infinite interval")
    func realTimer() async throws {
        let start = ContinuousClock.now
        let inbox = Inbox<Void>()
        DispatchDelayTimer().after(.infinity) { inbox.put() }
        DispatchDelayTimer().after(0.05) { inbox.put() }
        try await inbox.first()
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        #expect(inbox.count == 1)
    }
}
