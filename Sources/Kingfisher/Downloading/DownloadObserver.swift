import FoundationNetworking

/// Follows the bytes of a download as they come, on behalf of one of its callers.
///
/// Called on the transport's thread, which all transfers share, and when the caller joins a download on its
/// own: it takes note, and works elsewhere. A request that tries again, or another source, observes one
/// download after the other.
protocol DownloadObserver: AnyObject, Sendable {
    /// More of the body is there than before; `session.withBody` lends it.
    func didReceive(from session: SessionDataTask)
    /// The body is complete, or broken, or the caller has gone: nothing of `session` is worth showing any
    /// more.
    func didEnd(_ session: SessionDataTask)
}
