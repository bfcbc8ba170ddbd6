/// The addresses that a transfer may connect to.
///
/// Every policy except ``any`` is enforced wherever an address is determined: for the results of the
/// resolver, before a socket is opened, and for the peer of a reused connection. Each redirect is a separate
/// transfer and is checked in the same way. A guarded transfer uses no proxy, because the final address
/// behind a proxy is unknown.
public enum AddressPolicy: Sendable {
    /// Every address; for programs that load only their own URLs.
    case any

    /// Addresses of the public Internet (``IPAddress/isPublic``); for servers that load untrusted URLs.
    case publicOnly

    /// Addresses for which the closure returns `true`.
    ///
    /// The closure is called on any thread, often several times per transfer, and must be fast. An
    /// IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is passed as the IPv4 address that it connects to.
    ///
    ///     downloader.addressPolicy = .custom { $0.isPublic || imageServers.contains($0) }
    case custom(@Sendable (IPAddress) -> Bool)

    /// Whether a transfer may connect to `address`.
    public func allows(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: address.isPublic
        case .custom(let allows): allows(address.unmapped)
        }
    }

    var isGuarded: Bool { if case .any = self { false } else { true } }
}
