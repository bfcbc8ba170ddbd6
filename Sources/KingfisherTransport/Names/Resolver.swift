/// Finds the addresses of a host name.
///
/// libcurl never looks names up itself here: it would have to join its lookup thread before a transfer can
/// end, so that one slow name server holds up a cancel and every other transfer of the loop.
public protocol Resolver: Sendable {
    /// Looks `host` up (never a numeric address) without blocking the caller.
    ///
    /// - Parameter completion: Called exactly once, on any thread, with at least one address or an error.
    ///   Whoever has lost interest ignores the call.
    func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    )
}
