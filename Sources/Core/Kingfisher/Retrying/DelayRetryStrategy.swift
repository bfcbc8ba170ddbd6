public import Foundation

/// Retries a failed download up to a maximum number of times, with a delay before each retry.
///
/// Only network and server failures (`KingfisherError.responseError`) are retried: data that is not an image
/// will not be one the next time. Without a delay, the decision is made synchronously. After a delay, it is
/// delivered on the main queue, or on a background queue if the callbacks of the request do not use the main
/// queue.
public struct DelayRetryStrategy: RetryStrategy {
    /// The delay before a retry.
    public enum Interval: Sendable {
        /// The same number of seconds each time.
        case seconds(TimeInterval)
        /// This number of seconds times the number of the retry: 3 gives 3, 6, 9.
        case accumulated(TimeInterval)
        /// The seconds that `block` returns for the number of retries so far, 0 before the first. Called on
        /// any thread.
        case custom(block: @Sendable (_ retriedCount: Int) -> TimeInterval)

        func seconds(after retriedCount: Int) -> TimeInterval {
            switch self {
            case .seconds(let seconds): seconds
            case .accumulated(let seconds): seconds * Double(retriedCount + 1)
            case .custom(let block): block(retriedCount)
            }
        }
    }

    /// The maximum number of retries of one request.
    public let maxRetryCount: Int
    /// The delay before each retry.
    public let retryInterval: Interval
    private let timer: any DelayTimer

    /// Creates a strategy that retries at most `maxRetryCount` times, each time after `retryInterval`.
    public init(maxRetryCount: Int, retryInterval: Interval = .seconds(3)) {
        self.init(maxRetryCount: maxRetryCount, retryInterval: retryInterval, timer: DispatchDelayTimer())
    }

    package init(maxRetryCount: Int, retryInterval: Interval, timer: any DelayTimer) {
        self.maxRetryCount = maxRetryCount
        self.retryInterval = retryInterval
        self.timer = timer
    }

    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        guard context.retriedCount < maxRetryCount, context.latestError.isWorthAnotherRequest else {
            return retryHandler(.stop)
        }
        let seconds = retryInterval.seconds(after: context.retriedCount)
        guard seconds > 0 else { return retryHandler(.retry(userInfo: nil)) }
        timer.after(seconds) { [queue = context.decisionQueue] in
            queue.execute { retryHandler(.retry(userInfo: nil)) }
        }
    }
}

extension KingfisherError {
    /// Whether the same request may succeed later, because the network or the server failed.
    var isWorthAnotherRequest: Bool {
        if case .responseError = self { true } else { false }
    }
}
