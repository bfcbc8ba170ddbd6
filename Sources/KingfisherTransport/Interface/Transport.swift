/// Sends one HTTP request and reports its response: one hop, and nothing that spans hops.
///
/// Redirects, credentials, cookies, retries, sharing and priorities live above this protocol, once for every
/// transport; see ``HTTPFetch`` for redirects.
///
/// All functions may be called from any thread, also from inside a callback of a ``TransportHandler``.
public protocol Transport: Sendable {
    /// Begins a transfer and returns at once.
    ///
    /// The handler is kept until its `finished` callback has returned. It is never called on the caller's
    /// thread before this function returns.
    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask

    /// Cancels every transfer and gives back connections and threads; returns at once.
    ///
    /// Transfers started later finish with ``TransportError/cancelled``.
    func invalidate()
}

/// A transfer in flight, as its starter sees it.
public protocol TransportTask: AnyObject, Sendable {
    /// Ends the transfer and closes its connection.
    ///
    /// When this returns, no head or body callback begins any more (one that runs already is not
    /// interrupted), and one `finished` with ``TransportError/cancelled`` follows promptly. Does nothing
    /// after `finished`.
    func cancel()

    /// Lets a transfer go on that waits because its handler answered ``HeadDecision/wait`` to the head or
    /// `false` to body bytes.
    ///
    /// A call that comes while the handler is still returning that answer counts; one without anything to
    /// resume is ignored.
    func resume()

    /// Moves a transfer that waits in a queue to where the new priority puts it, 0...1; see
    /// ``QueuedTransport``.
    ///
    /// One that has started is not hurried. By default nothing happens.
    func setPriority(_ priority: Float)
}

extension TransportTask {
    public func setPriority(_ priority: Float) {}
}
