import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Writes down what it is asked, and tries `limit` times again.
private struct Diary: RetryStrategy {
    let limit: Int
    let entries = Shared<[String]>([])

    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        let last = context.userInfo as? String ?? "none"
        entries.change { $0.append("\(context.retriedCount) \(last) \(context.error.errorCode)") }
        #expect(context.source.url?.path.isEmpty == false)
        retryHandler(context.retriedCount < limit ? .retry(userInfo: "again") : .stop)
    }
}

@Suite(.timeLimit(.minutes(1))) struct RetryTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    @Test("Asks a busy server again")
    func delayed() async throws {
        let strategy = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0))
        let value = try await box.manager.retrieveImage(
            with: box.url("flaky/PNG/rgb8.png"), options: [.retryStrategy(strategy)])
        #expect(value.image.size.width == 33 && box.server.requestCount() == 3)
        #expect(strategy.maxRetryCount == 3)
    }

    @Test("Waits longer each time, by a rule of its own")
    func custom() async throws {
        let waits = Shared<[Int]>([])
        let strategy = DelayRetryStrategy(
            maxRetryCount: 5,
            retryInterval: .custom { count in
                waits.change { $0.append(count) }
                return Double(count) * 0.01
            })
        _ = try await box.manager.retrieveImage(
            with: box.url("flaky/PNG/rgb8.png"), options: [.retryStrategy(strategy)])
        #expect(waits.value == [0, 1])
    }

    @Test("Gives up after so many tries, and tells the last error")
    func givesUp() async throws {
        let strategy = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .accumulated(0.01))
        let error = await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("flaky/PNG/rgb8.png"), options: [.retryStrategy(strategy)])
        }
        #expect(error?.isInvalidResponseStatusCode(503) == true && box.server.requestCount() == 2)
    }

    @Test("Decides for itself, with notes for the next time")
    func ownStrategy() async throws {
        let diary = Diary(limit: 1)
        await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("garbage/hello"), options: [.retryStrategy(diary)])
        }
        #expect(diary.entries.value == ["0 none 4001", "1 again 4001"])
    }

    @Test("Waits for the network, but not for an image that is none")
    func network() async throws {
        await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("garbage/hello"),
                options: [.retryStrategy(NetworkRetryStrategy(timeoutInterval: 5))])
        }
        #expect(box.server.requestCount() == 1)
    }
}
