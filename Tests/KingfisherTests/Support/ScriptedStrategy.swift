import Foundation
import Synchronization

@testable import Kingfisher

/// Notes what it is asked, and has a test answer.
final class ScriptedStrategy: RetryStrategy {
    typealias Handler = @Sendable (RetryDecision) -> Void

    /// Unchecked: what tests put into `userInfo` is sendable.
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

    /// Answers at once.
    convenience init(deciding decide: @escaping @Sendable (RetryContext) -> RetryDecision) {
        self.init { context, handler in handler(decide(context)) }
    }

    /// Retries `count` times.
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
    /// A server's refusal.
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
