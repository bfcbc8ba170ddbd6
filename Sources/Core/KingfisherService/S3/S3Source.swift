import Foundation
import FoundationNetworking
public import Kingfisher

/// The buckets of one S3 service, for `s3` sources: its endpoint, and a downloader that signs requests.
///
/// The downloader sends only to the endpoint and follows no redirect: S3 redirects to other regions, and a
/// signature must not reach another server. It has its own list of addresses, so that a service inside a
/// network, such as MinIO, can be read while other sources stay public.
public struct S3Source: Sendable {
    /// The limits of downloads.
    public struct Limits: Sendable, Hashable {
        /// The largest object in bytes.
        public var maximumBytes = 32 << 20
        /// The longest time without a byte, and for connecting, in seconds.
        public var idleTimeout = 10.0
        /// The longest time of a download, in seconds.
        public var totalTimeout = 20.0
        /// The most connections to a host. S3 has no HTTP/2, and all objects are at one host or a few.
        public var connections = 16

        /// 32 MiB, 10 and 20 seconds, and 16 connections.
        public init() {}
    }

    /// Loads objects by their plain URLs.
    public let downloader: ImageDownloader
    private let endpoint: S3Endpoint

    /// Creates a source.
    ///
    /// - Parameter networks: The addresses that the endpoint may have besides public ones.
    public init(
        _ endpoint: S3Endpoint, _ credentials: S3Credentials, allowing networks: [IPNetwork] = [],
        limits: Limits = Limits()
    ) {
        var slots = QueuedTransport.Limits()
        slots.perHost = limits.connections
        var settings = CurlTransport.Configuration()
        settings.maxConnectionsPerHost = slots.connectionsPerHost
        self.init(
            endpoint, credentials, allowing: networks, limits: limits, over: CurlTransport(settings),
            now: { Int(Date().timeIntervalSince1970) })
    }

    /// - Parameter now: In seconds since 1970.
    init(
        _ endpoint: S3Endpoint, _ credentials: S3Credentials, allowing networks: [IPNetwork], limits: Limits,
        over transport: any Transport, now: @escaping @Sendable () -> Int
    ) {
        self.endpoint = endpoint
        downloader = ImageDownloader(
            name: "s3",
            transport: S3Transport(transport, endpoint: endpoint, credentials: credentials, now: now))
        downloader.addressPolicy = .custom { address in
            address.isPublic || networks.contains { $0.contains(address) }
        }
        downloader.maxBodyBytes = limits.maximumBytes
        downloader.downloadTimeout = limits.idleTimeout
        downloader.remembersCredentials = false
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = limits.totalTimeout
        configuration.httpMaximumConnectionsPerHost = limits.connections
        configuration.httpCookieStorage = nil
        downloader.sessionConfiguration = configuration
    }

    /// The URL of an object, and a key for caches that no other object has.
    func object(bucket: String, key: String, versionID: String?) throws(ServiceError) -> KF.ImageResource {
        let location = try S3Location(bucket: bucket, key: key, versionID: versionID, at: endpoint)
        guard let url = location.url else { throw ServiceError(500, "The object has no URL.") }
        return KF.ImageResource(
            downloadURL: url,
            cacheKey: S3Location.cacheKey(bucket: bucket, key: key, versionID: versionID))
    }
}
