import AsyncHTTPClient
import Foundation
import FoundationNetworking
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// AsyncHTTPClient with one event loop, as all engines run on one core.
struct AsyncClient: Client {
    private static let maximumBytes = 64 << 20

    private let client: HTTPClient

    init(connections: Int, authority: String?) throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        if let authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)),
            configuration: configuration)
    }

    func load(_ url: String) async throws -> Int {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        guard response.status.code == 200 else { throw Failure(description: "\(response.status)") }
        return try await response.body.collect(upTo: Self.maximumBytes).readableBytes
    }

    func shutDown() async throws { try await client.shutdown() }
}

/// Foundation's URLSession without a cache. It trusts the authorities of the system only.
struct SessionClient: Client {
    private let session: URLSession

    init(connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    func load(_ url: String) async throws -> Int {
        guard let url = URL(string: url) else { throw Failure(description: "not a URL") }
        let (data, response) = try await session.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw Failure(description: "\(response)")
        }
        return data.count
    }
}
