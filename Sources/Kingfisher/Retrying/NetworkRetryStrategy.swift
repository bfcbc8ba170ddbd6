public import Foundation

/// Tries a failed download again as soon as the machine is online.
///
/// A request that fails while the machine is online is tried again at once, three times in all; one that
/// fails offline waits for the network, as often as it must, and that counts for none of the three. Only
/// failures of the network and of servers (`KingfisherError.responseError`) are tried again. What "online"
/// means is `NetworkMonitor.shared`'s to know; without a source of knowledge it takes the machine for online.
public struct NetworkRetryStrategy: RetryStrategy {
    /// The most retries of a request that keeps failing although the machine is online: a server that says
    /// 404 must not be asked for ever.
    private static let maxOnlineRetries = 3

    private let timeoutInterval: TimeInterval?
    private let monitor: NetworkMonitor

    /// Waits at most `timeoutInterval` seconds for the network, with nil as long as it takes.
    public init(timeoutInterval: TimeInterval? = 30) {
        self.init(timeoutInterval: timeoutInterval, monitor: .shared)
    }

    package init(timeoutInterval: TimeInterval?, monitor: NetworkMonitor) {
        self.timeoutInterval = timeoutInterval
        self.monitor = monitor
    }

    public func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void) {
        // One question at a time: who asks again has no use for an answer to the last.
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
        context.keep(observer)
        observer.start(timeoutInterval: timeoutInterval)
    }
}
