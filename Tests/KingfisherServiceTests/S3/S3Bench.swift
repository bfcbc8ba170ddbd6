import Foundation
import FoundationNetworking
import Kingfisher
import KingfisherTestSupport

@testable import KingfisherService

/// A bucket on a loopback server, and a manager that loads its objects as a service does.
struct S3Bench {
    static let time = 1_767_323_045
    static let photo = Result { try Fixtures.data(named: "Photos/launch-pad.jpg") }

    let server: LoopbackServer
    let endpoint: S3Endpoint
    let source: S3Source
    let manager: KingfisherManager
    var options: KingfisherOptionsInfo = []

    /// - Parameter host: A name that is resolved to 127.0.0.1; with one, buckets are in the host.
    init(
        host: String? = nil, token: String? = nil, limits: S3Source.Limits = S3Source.Limits(),
        networks: [String] = ["127.0.0.0/8"], _ handler: @escaping LoopbackServer.Handler
    ) throws {
        server = try LoopbackServer(handler)
        let url = server.url("/", host: host).absoluteString
        let credentials = S3Credentials(accessKey: "KEY", secretKey: "SECRET", sessionToken: token)
        guard let endpoint = S3Endpoint(region: "eu-west-1", url: url), let credentials else {
            throw URLError(.badURL)
        }
        self.endpoint = endpoint
        var settings = CurlTransport.Configuration()
        settings.resolver = LocalResolver()
        settings.maxConnectionsPerHost = 64
        source = S3Source(
            endpoint, credentials, allowing: networks.compactMap { IPNetwork($0) }, limits: limits,
            over: CurlTransport(settings), now: { Self.time })
        let cache = try ImageCache(name: "s3", cacheDirectoryURL: TestFolders.unused())
        manager = KingfisherManager(downloader: ImageDownloader(name: "unused"), cache: cache)
    }

    static func photos(_ headers: [(String, String)] = []) throws -> LoopbackServer.Handler {
        let photo = try photo.get()
        return { _ in .ok(photo, headers: headers) }
    }

    func load(_ key: String, versionID: String? = nil, version: String? = nil) throws -> ServiceLoad {
        var serviceOptions = ServiceOptions()
        serviceOptions.version = version
        var resources = ServiceLoad.Resources()
        resources.buckets = source
        let request = ServiceRequest(
            options: serviceOptions, source: .s3(bucket: "photos", key: key, versionID: versionID))
        return try ServiceLoad(
            request, accept: AcceptHeader([]), FormatNegotiation(registered: [.PNG]), resources)
    }

    @discardableResult
    func data(_ key: String, versionID: String? = nil) async throws -> RetrieveDataResult {
        let load = try load(key, versionID: versionID)
        return try await manager.retrieveData(with: load.source, options: load.options + options)
    }

    /// The failure of a load, as the service reports it.
    func failure(_ key: String = "a.png") async -> ServiceFailure? {
        do {
            _ = try await data(key)
            return nil
        } catch {
            return ServiceFailure(error, at: .s3(bucket: "photos", key: key, versionID: nil))
        }
    }
}

/// Finds every name on this machine.
private struct LocalResolver: Resolver {
    func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        completion(.success(IPAddress("127.0.0.1").map { [$0] } ?? []))
    }
}
