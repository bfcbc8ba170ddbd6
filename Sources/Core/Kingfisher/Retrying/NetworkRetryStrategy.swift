public import Foundation

/// Retries a failed download as soon as the machine is online.
///
/// A request that fails while the machine is online is retried immediately, at most three times in total. One
/// that fails offline waits for the network; these retries are not limited. Only network and server failures
/// (`KingfisherError.responseError`) are retried. `NetworkMonitor.shared` determines whether the machine is
/// online; without a condition source it assumes so.
public struct NetworkRetryStrategy: RetryStrategy {
    /// The maximum number of retries while online, so that a permanent failure such as a 404 ends.
    private static let maxOnlineRetries = 3

    private let timeoutInterval: TimeInterval?
    private let monitor: NetworkMonitor

    /// Creates a strategy that waits at most `timeoutInterval` seconds for the network; nil for no limit.
    public init(timeoutInterval: TimeInterval? = 30) {
        self.init(timeoutInterval: timeoutInterval, monitor: .shared)
    }

    package init(timeoutInterval: TimeInterval?, monitor: NetworkMonitor) {
        self.timeoutInterval = timeoutInterval
        self.monitor = monitor
    }

    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        // A new failure makes the wait for the previous one obsolete.
        (context.userInfo as? NetworkObserver)?.cancel()
        guard context.latestError.isWorthAnotherRequest else { return retryHandler(.stop) }
        if monitor.isConnected {
            let retries = context.takeOnlineRetry(of: Self.maxOnlineRetries)
            return retryHandler(retries ? .retry(userInfo: nil) : .stop)
        }
        let observer = NetworkObserver(monitor: monitor, queue: context.decisionQueue) {
            observer, isConnected in
            retryHandler(isConnected ? .retry(userInfo: observer) : .stop)
        }
        context.replaceUserInfo(with: observer)
        observer.start(timeoutInterval: timeoutInterval)
    }
}
