public import Foundation

/// Tries a failed download again, up to a number of times, each time after a while.
///
/// Only failures of the network and of servers (`KingfisherError.responseError`) are worth it: what arrived
/// and is no image will be none the next time. The decision for a wait of 0 is made at once; that after a
/// wait falls on the main queue, or, for a request whose callbacks do not go there, on a background queue.
public struct DelayRetryStrategy: RetryStrategy {
    /// How long to wait before a retry.
    public enum Interval: Sendable {
        /// The same number of seconds each time.
        case seconds(TimeInterval)
        /// These seconds times the number of the retry: 3 gives 3, 6, 9.
        case accumulated(TimeInterval)
        /// The seconds that `block` returns for the number of retries so far, 0 before the first. Called on
        /// any thread.
        case custom(block: @Sendable (_ retriedCount: Int) -> TimeInterval)

        /// Seconds to wait after `retriedCount` retries.
        func seconds(after retriedCount: Int) -> TimeInterval {
            switch self {
            case .seconds(let seconds): seconds
            case .accumulated(let seconds): seconds * Double(retriedCount + 1)
            case .custom(let block): block(retriedCount)
            }
        }
    }

    /// The most retries of one request.
    public let maxRetryCount: Int
    /// How long to wait before each.
    public let retryInterval: Interval
    private let timer: any DelayTimer

    /// Retries at most `maxRetryCount` times, after `retryInterval` each.
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
    /// Whether the same request may well succeed later: the network or the server failed, and nobody gave it
    /// up.
    var isWorthAnotherRequest: Bool {
        guard case .responseError = self else { return false }
        return !isTaskCancelled
    }
}
