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
    /// The same as `tlsConfiguration.trustedHosts`. The target of a redirect is verified unless it is also in
    /// the set.
    public var trustedHosts: Set<String>? {
        get { settings.withLock(\.tls.trustedHosts) }
        set { settings.withLock { $0.tls.trustedHosts = newValue } }
    }

    /// Whether credentials that a server has accepted are remembered for later downloads of any caller; true
    /// for a new downloader, false for a manager for servers.
    ///
    /// Remembered credentials are sent in advance: `Basic` to the folder of the accepted request and below,
    /// `Digest` to the whole server or to its protection space. Otherwise every image costs two requests. If
    /// the callers of a downloader have different rights, set this to false: user name and password of a URL,
    /// and the answer of ``authenticationChallengeResponder``, then serve only the download that brought
    /// them. A change forgets all credentials and applies to downloads that start later.
    ///
    /// Not part of the original library.
    public var remembersCredentials: Bool {
        get { settings.withLock(\.remembersCredentials) }
        set { settings.withLock { $0.remembersCredentials = newValue } }
    }

    /// The largest body in bytes, counted after decompression; 64 MiB by default.
    public var maxBodyBytes: Int {
        get { settings.withLock(\.maxBodyBytes) }
        set { settings.withLock { $0.maxBodyBytes = newValue } }
    }

    /// The size in bytes above which a body is received into a file instead of memory; 1 MiB by default,
    /// `.max` for never.
    ///
    /// The file is on the file system of the cache, which moves it into place if it stores the bytes
    /// unchanged (`cacheOriginalImage`, `preferCacheOriginalData`, and formats that are not encoded again).
    /// Decoders read it by mapping, so its bytes are in the kernel's page cache, and a memory budget counts
    /// only 256 KiB for it. If the file cannot be written, for example because the disk is full, the body
    /// continues in memory. Without a disk cache, it is in `$TMPDIR`, or in `/var/tmp`. It has no name,
    /// unless `KingfisherOptionsInfoItem.resumable` applies.
    public var maxBodyBytesInMemory: Int {
        get { settings.withLock(\.maxBodyBytesInMemory) }
        set { settings.withLock { $0.maxBodyBytesInMemory = newValue } }
    }
}
