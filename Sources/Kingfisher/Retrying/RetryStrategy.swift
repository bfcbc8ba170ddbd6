/// Decides whether a request that failed is tried again, and when.
public protocol RetryStrategy: Sendable {
    /// Decides about the failure in `context` by calling `retryHandler` once, now or later, on any thread.
    ///
    /// Called on any thread, after every failure of a request that somebody still waits for: of the source
    /// asked for and of each that stood in for it. A cancelled request ends at once, without a question; one
    /// that is cancelled while the strategy thinks ignores the decision. A low-data source that takes the
    /// place of one too heavy for a metered network is no failure.
    ///
    /// A retry begins with the source that was asked for, its caches included; low-data and alternative
    /// sources may stand in for it once more. Only the first call of `retryHandler` counts; letting go of it
    /// without a call means `.stop`.
    func retry(context: RetryContext, retryHandler: @escaping @Sendable (RetryDecision) -> Void)
}

/// What to do about a failure.
// Unchecked: what it carries is handed back to the strategy that made it, at the next failure, and nobody
// else reads it meanwhile.
public enum RetryDecision: @unchecked Sendable {
    /// Try again; `userInfo` is what the context carries at the next failure.
    case retry(userInfo: Any?)
    /// Let the failure stand: alternative sources come next, if there are any.
    case stop
}
