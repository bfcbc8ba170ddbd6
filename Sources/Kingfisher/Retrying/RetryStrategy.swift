import Synchronization

/// Decides whether a request that failed is tried again, and when.
public protocol RetryStrategy: Sendable {
    /// Decides about the failure in `context` by calling `retryHandler` once, now or later, on any thread.
    ///
    /// A retry begins with the source that was asked for, its caches included. A request that is cancelled
    /// meanwhile ends at once; the decision is ignored then.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}

/// What to do about a failure.
public enum RetryDecision {
    /// Try again; `userInfo` is what the context carries at the next failure.
    case retry(userInfo: (any Sendable)?)
    /// Let the failure stand: alternative sources come next, if there are any.
    case stop
}

/// One request's failures, as a strategy sees them. The same object serves all attempts of one request.
///
/// Safe from any thread.
public final class RetryContext: Sendable {
    private struct State: Sendable {
        var retriedCount = 0
        var userInfo: (any Sendable)?
    }

    /// The source that was asked for.
    public let source: Source
    /// The failure of the first attempt.
    public let error: KingfisherError
    private let state = Mutex(State())

    init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
    }

    /// How many retries there were before this failure; 0 at the first.
    public var retriedCount: Int { state.withLock(\.retriedCount) }

    /// What the last decision carried; nil at the first failure.
    public var userInfo: (any Sendable)? { state.withLock(\.userInfo) }

    /// Takes note of a decision to try again.
    func noteRetry(userInfo: (any Sendable)?) {
        // The old value is released outside the lock.
        let old = state.withLock { state in
            state.retriedCount += 1
            defer { state.userInfo = userInfo }
            return state.userInfo
        }
        withExtendedLifetime(old) {}
    }
}
