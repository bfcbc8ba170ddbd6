public import KingfisherTransport
import Synchronization

/// Where transfers may lead and whom they trust. Changes hold for transfers that are started later.
extension ImageDownloader {
    /// Which addresses may be connected to; all by default.
    ///
    /// A server that loads URLs given by strangers sets `.publicOnly`, so that nobody reaches its own network
    /// through it. Redirects, names that change their address and connections kept from before are checked as
    /// well; what is refused ends with `URLError.cannotConnectToHost` over `TransportError.addressRefused`.
    public var addressPolicy: AddressPolicy {
        get { settings.withLock(\.addressPolicy) }
        set { settings.withLock { $0.addressPolicy = newValue } }
    }

    /// Whom https transfers trust, and the certificates to present to servers.
    public var tlsConfiguration: TLSConfiguration {
        get { settings.withLock(\.tls) }
        set { settings.withLock { $0.tls = newValue } }
    }

    /// Hosts whose certificates are not verified, for development servers with self-signed ones; nil by
    /// default.
    ///
    /// The same as `tlsConfiguration.trustedHosts`. A redirect to a host that is not among them is verified.
    public var trustedHosts: Set<String>? {
        get { settings.withLock(\.tls.trustedHosts) }
        set { settings.withLock { $0.tls.trustedHosts = newValue } }
    }

    /// The largest body in bytes, counted after decompression; 64 MB by default.
    public var maxBodyBytes: Int {
        get { settings.withLock(\.maxBodyBytes) }
        set { settings.withLock { $0.maxBodyBytes = newValue } }
    }
}
