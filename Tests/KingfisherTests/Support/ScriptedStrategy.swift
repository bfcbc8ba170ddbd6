import Foundation
import Synchronization
import TestHelpers

@testable import Kingfisher

/// Records the contexts that it receives and decides as the test says.
final class ScriptedStrategy: RetryStrategy {
    typealias Handler = @Sendable (RetryDecision) -> Void

    /// Unchecked: tests put only sendable values into `userInfo`.
    struct Question: @unchecked Sendable {
        let context: RetryContext
        let retriedCount: Int
        let userInfo: Any?
        let latestError: KingfisherError
    }

    let questions = Inbox<Question>()
    private let answer: @Sendable (RetryContext, @escaping Handler) -> Void

    init(_ answer: @escaping @Sendable (RetryContext, @escaping Handler) -> Void) {
        self.answer = answer
    }

    /// Decides synchronously.
    convenience init(deciding decide: @escaping @Sendable (RetryContext) -> RetryDecision) {
        self.init { context, handler in handler(decide(context)) }
    }

    convenience init(retries count: Int) {
        self.init { $0.retriedCount < count ? .retry(userInfo: $0.retriedCount) : .stop }
    }

    func retry(context: RetryContext, retryHandler: @escaping Handler) {
        questions.put(
            Question(
                context: context, retriedCount: context.retriedCount, userInfo: context.userInfo,
                latestError: context.latestError))
        answer(context, retryHandler)
    }

    var counts: [Int] { questions.values.map(\.retriedCount) }
}

extension KingfisherError {
    /// The error of a response with this status.
    static func status(_ code: Int) -> KingfisherError {
        let url = URL(filePath: "/")
        guard let response = HTTPURLResponse(url: url, statusCode: code, httpVersion: nil, headerFields: nil)
        else {
            return .requestError(reason: .emptyRequest)
        }
        return .responseError(reason: .invalidHTTPStatusCode(response: response))
    }

    static func cancelled(_ url: URL) -> KingfisherError { .cancelled(.network(url), task: nil) }

    static var unprocessable: KingfisherError {
        .processorError(
            reason: .processingFailed(processor: DefaultImageProcessor.default, item: .data(Data())))
    }
}
