/// Receives the events of one transfer.
///
/// Callbacks of one transfer are serial, on the transport's own thread, in this order: the head once, any
/// number of body pieces, `finished`. A failed transfer skips the steps it did not reach. `finished` is
/// always called exactly once, and nothing follows it. Other transfers share the thread, so a callback must
/// return quickly and must not block; a handler that needs time pauses the transfer.
public protocol TransportHandler: AnyObject, Sendable {
    /// Called with the head of the final response; interim responses (1xx) are skipped.
    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision

    /// Called with bytes of the body, after content decoding.
    ///
    /// The pointer is valid only during the call. Return `true` if the bytes were taken. Return `false` to
    /// refuse them: the transfer then pauses and stops reading from its connection, which also slows the
    /// server down. After ``TransportTask/resume()``, the same bytes are delivered again, possibly in other
    /// pieces.
    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool

    /// Called at the end of the transfer.
    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>)
}

/// A handler's decision about the head of a response.
public enum HeadDecision: Sendable, Hashable {
    /// Deliver the body.
    case proceed
    /// Cancel the transfer; it finishes with ``TransportError/cancelled``.
    case cancel
    /// Delay body and success until ``TransportTask/resume()`` or ``TransportTask/cancel()``. A failure is
    /// reported immediately.
    case wait
}
