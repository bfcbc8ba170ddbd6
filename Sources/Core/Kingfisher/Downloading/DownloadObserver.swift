import FoundationNetworking

/// Observes the received bytes of a download for one of its callers.
///
/// Called on the transport's thread, which all transfers share, and on the caller's thread when it subscribes
/// to a running download. Implementations must return quickly and do their work elsewhere. For a retry or an
/// alternative source, one observer sees several downloads in sequence.
protocol DownloadObserver: AnyObject, Sendable {
    func didReceive(from session: SessionDataTask)
    /// The body is complete, the transfer failed, or the caller was cancelled. No further bytes of `session`
    /// are of use.
    func didEnd(_ session: SessionDataTask)
}
