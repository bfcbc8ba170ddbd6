/// Decides whether and when a failed request is retried.
public protocol RetryStrategy: Sendable {
    /// Decides about the failure in `context` by calling `retryHandler` once, synchronously or later, on any
    /// thread.
    ///
    /// Called on any thread, after every failure of a request, for the requested source and for each
    /// alternative source. A cancelled request ends without a call. If it is cancelled while the strategy
    /// waits, the decision is ignored. Replacing a source by its low-data source on a constrained network is
    /// not a failure.
    ///
    /// A retry starts with the requested source, its caches included; low-data and alternative sources may
    /// replace it again. Only the first call of `retryHandler` counts; releasing it without a call means
    /// `.stop`.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}

/// The decision of a `RetryStrategy` about a failure.
// Unchecked: the user info is returned only to the strategy that created it, at the next failure.
public enum RetryDecision: @unchecked Sendable {
    /// Retry at once, beginning with the requested source and its caches. `userInfo` is the user info of the
    /// context at the next failure; a strategy may keep its state there.
    case retry(userInfo: Any?)
    /// Do not retry. Alternative sources are tried next, if there are any.
    case stop
}
