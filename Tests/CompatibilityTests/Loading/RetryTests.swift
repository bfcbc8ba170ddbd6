import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Records its calls and retries `limit` times.
private struct RecordingStrategy: RetryStrategy {
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

    @Test("A busy server is asked again")
    func delayed() async throws {
        let strategy = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0))
        let value = try await box.manager.retrieveImage(
            with: box.url("flaky/PNG/rgb8.png"), options: [.retryStrategy(strategy)])
        #expect(value.image.size.width == 33 && box.server.requestCount() == 3)
        #expect(strategy.maxRetryCount == 3)
    }

    @Test("A custom interval grows with each retry")
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

    @Test("After the maximum number of retries the last error is reported")
    func maximumRetries() async throws {
        let strategy = DelayRetryStrategy(maxRetryCount: 1, retryInterval: .accumulated(0.01))
        let error = await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("flaky/PNG/rgb8.png"), options: [.retryStrategy(strategy)])
        }
        #expect(error?.isInvalidResponseStatusCode(503) == true && box.server.requestCount() == 2)
    }

    @Test("A custom strategy decides with its own user info")
    func ownStrategy() async throws {
        let strategy = RecordingStrategy(limit: 1)
        await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("garbage/hello"), options: [.retryStrategy(strategy)])
        }
        #expect(strategy.entries.value == ["0 none 4001", "1 again 4001"])
    }

    @Test("NetworkRetryStrategy retries network errors, but not undecodable images")
    func network() async throws {
        await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(
                with: box.url("garbage/hello"),
                options: [.retryStrategy(NetworkRetryStrategy(timeoutInterval: 5))])
        }
        #expect(box.server.requestCount() == 1)
    }
}
