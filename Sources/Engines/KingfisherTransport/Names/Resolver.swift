/// Finds the addresses of a host name.
///
/// libcurl never resolves names itself here: it would have to join its lookup thread before a transfer can
/// end, so one slow name server would block a cancel and all other transfers of the loop.
public protocol Resolver: Sendable {
    /// Resolves `host`, which is never a numeric address, without blocking the caller.
    ///
    /// - Parameter completion: Called exactly once, on any thread, with at least one address or an error. It
    ///   is called even if the caller no longer needs the result.
    func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    )
}
