/// Receives what happens to one transfer.
///
/// Callbacks of one transfer are serial: they come one after the other on the transport's own thread. In
/// order: the head once, any number of body pieces, `finished`. A failed transfer skips what it did not
/// reach; `finished` comes exactly once, always, and nothing comes after it. Other transfers share that
/// thread, so a callback returns quickly and never blocks: to take its time it pauses the transfer.
public protocol TransportHandler: AnyObject, Sendable {
    /// The final response's status and headers are known; interim responses (1xx) are skipped.
    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision

    /// Bytes of the body have arrived, with any content encoding already undone.
    ///
    /// The pointer is valid during the call only. Return `true` when the bytes are taken. Return `false` to
    /// leave them: the transfer pauses, stops reading from its connection so that the server is held back as
    /// well, and after ``TransportTask/resume()`` offers the same bytes again (perhaps in other portions).
    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool

    /// The transfer has ended; nothing follows.
    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>)
}

/// What a handler wants done after it has seen the head of a response.
public enum HeadDecision: Sendable, Hashable {
    /// Deliver the body.
    case proceed
    /// End the transfer now; it finishes with ``TransportError/cancelled``.
    case cancel
    /// Hold body and success back until ``TransportTask/resume()`` or ``TransportTask/cancel()``; a failure
    /// is reported at once.
    case wait
}
