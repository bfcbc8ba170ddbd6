public import KingfisherTransport
import Synchronization

/// Network security settings. Changes apply to transfers that start later.
extension ImageDownloader {
    /// The addresses that transfers may connect to; all by default.
    ///
    /// A server that loads untrusted URLs sets `.publicOnly`, so that they cannot reach its internal network.
    /// The policy also applies to redirects, changed DNS answers and reused connections. A refused address
    /// fails the download with `URLError.cannotConnectToHost`, whose underlying error is
    /// `TransportError.addressRefused`.
    public var addressPolicy: AddressPolicy {
        get { settings.withLock(\.addressPolicy) }
        set { settings.withLock { $0.addressPolicy = newValue } }
    }

    /// The trust anchors of https transfers, and the client certificates to present to servers.
    public var tlsConfiguration: TLSConfiguration {
        get { settings.withLock(\.tls) }
        set { settings.withLock { $0.tls = newValue } }
    }

    /// Hosts whose certificates are not verified, for development servers with self-signed certificates; nil
    /// by default.
    ///
    /// The same as `tlsConfiguration.trustedHosts`. The target of a redirect is verified unless it is in the
    /// set, too.
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
