import FoundationNetworking

/// Follows the bytes of a download as they come, on behalf of one of its callers.
///
/// Called on the transport's thread, which all transfers share: it takes note, and works elsewhere.
protocol DownloadObserver: AnyObject, Sendable {
    /// More of the body is there; `session.mutableData` has it.
    func didReceive(from session: SessionDataTask)
    /// The caller is served or has gone: nothing follows.
    func didEnd()
}
