/// Sends one HTTP request and reports its response: a single hop.
///
/// Redirects, credentials, cookies, retries, coalescing and priorities are implemented above this protocol,
/// once for all transports; see ``HTTPFetch`` for redirects.
///
/// All functions may be called from any thread, including from a callback of a ``TransportHandler``.
public protocol Transport: Sendable {
    /// Starts a transfer and returns immediately.
    ///
    /// The handler is retained until its `finished` callback returns. It is never called on the caller's
    /// thread before this function returns.
    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask

    /// Cancels every transfer, closes connections and ends threads. Returns immediately.
    ///
    /// Transfers that are started later finish with ``TransportError/cancelled``.
    func invalidate()
}

/// A running transfer, for its caller.
public protocol TransportTask: AnyObject, Sendable {
    /// Cancels the transfer and closes its connection.
    ///
    /// After this returns, no head or body callback starts (a running one is not interrupted), and one
    /// `finished` callback with ``TransportError/cancelled`` follows promptly. Has no effect after
    /// `finished`.
    func cancel()

    /// Continues a transfer that waits because its handler returned ``HeadDecision/wait`` for the head or
    /// `false` for body bytes.
    ///
    /// A call while the handler is still returning that value counts. A call without anything to resume is
    /// ignored.
    func resume()

    /// Changes the priority, 0...1, of a transfer that waits in a queue; see ``QueuedTransport``.
    ///
    /// It has no effect on a running transfer. The default implementation does nothing.
    func setPriority(_ priority: Float)
}

extension TransportTask {
    public func setPriority(_ priority: Float) {}
}
