import Foundation
public import Hummingbird
import HummingbirdCore
import Kingfisher
import NIOCore

/// The server: a responder, its options, and the limits of Hummingbird for untrusted clients.
public enum ThumbnailServer {
    /// Connections at a time; more wait until one is closed. Below the usual limit of 1,024 descriptors, of
    /// which downloads need some, too.
    static let connections = 512
    /// Time in which a request must have arrived, and between two of a connection.
    static let idleSeconds: Int64 = 15

    /// Makes a server that has not been started.
    ///
    /// - Parameter whenRunning: Called with the port once connections are accepted, from any thread.
    public static func make(
        _ options: ServerOptions, whenRunning: @escaping @Sendable (Int) -> Void
    ) throws -> some ApplicationProtocol {
        let cache = try ImageCache(name: "thumbnails", cacheDirectoryURL: options.folder)
        cache.encodedStorage.config.totalCostLimit = options.memoryCache << 20
        let manager = KingfisherManager.forServers(cache: cache)
        if options.anyAddress { manager.downloader.addressPolicy = .any }
        var channel = HTTP1Channel.Configuration(idleTimeout: .seconds(idleSeconds))
        channel.httpDecoder.maxHeaderFieldSize = 8 << 10
        channel.httpDecoder.maxHeaderListSize = 16 << 10
        channel.httpDecoder.maxHeaderFieldCount = 64
        return Application(
            responder: ThumbnailResponder(manager: manager),
            server: .http1(configuration: channel),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: Int(options.port)), serverName: "thumbnail-server",
                availableConnectionsDelegate: MaximumAvailableConnections(connections)),
            onServerRunning: { whenRunning($0.localAddress?.port ?? 0) })
    }
}
