/// Which addresses a transfer may connect to.
///
/// Any policy but ``any`` guards a transfer at every place where an address is decided: what the resolver
/// found, the socket that is about to be opened, and the peer of a connection that is reused. Each redirect
/// is a transfer of its own and checked alike. A guarded transfer uses no proxy, since behind one nobody can
/// tell where it leads.
public enum AddressPolicy: Sendable {
    /// Every address; for programs whose URLs are their own.
    case any

    /// Addresses of the public Internet (``IPAddress/isPublic``); for servers that load URLs given by
    /// strangers.
    case publicOnly

    /// Addresses for which the closure answers `true`.
    ///
    /// It is called on any thread, often several times for a transfer, and must be quick. An IPv4 address
    /// written as IPv6 (`::ffff:10.0.0.1`) comes as the IPv4 address that it connects to.
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

    /// Whether addresses are to be looked at.
    var isGuarded: Bool { if case .any = self { false } else { true } }
}
