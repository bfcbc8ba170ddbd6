import Foundation
public import Hummingbird
import HummingbirdCore
import Kingfisher
import KingfisherMetrics
import KingfisherSharedCache
import NIOCore

/// Creates the server: a responder, its options, and limits for untrusted clients.
public enum ThumbnailServer {
    /// The timeout for receiving a request, and for idle connections.
    static let idleSeconds: Int64 = 15

    /// Creates a server without starting it. Throws if the URL of the shared engine is invalid. An engine
    /// that cannot be reached is no error.
    ///
    /// - Parameter whenRunning: called with the port when the server accepts connections, on any thread.
    public static func make(
        _ options: ServerOptions, whenRunning: @escaping @Sendable (Int) -> Void
    ) throws -> some ApplicationProtocol {
        let cache = try ImageCache(name: "thumbnails", cacheDirectoryURL: options.folder)
        cache.encodedStorage.config.totalCostLimit = options.memoryCache << 20
        let manager = KingfisherManager.forServers(cache: cache)
        if options.anyAddress { manager.downloader.addressPolicy = .any }
        if let shared = options.shared { manager.tiers = [try RedisTier(url: shared)] }
        let metrics = options.metrics ? TextMetrics() : nil
        if let metrics { KingfisherEvents.add(KingfisherMetricsObserver(factory: metrics)) }
        let writeLimit = TimeAmount.seconds(options.writeSeconds)
        var channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [WriteDeadline(writeLimit)], idleTimeout: .seconds(idleSeconds))
        channel.httpDecoder.maxHeaderFieldSize = 8 << 10
        channel.httpDecoder.maxHeaderListSize = 16 << 10
        channel.httpDecoder.maxHeaderFieldCount = 64
        return Application(
            responder: ThumbnailResponder(manager: manager, metrics: metrics),
            server: .http1(configuration: channel),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: Int(options.port)), serverName: "thumbnail-server",
                availableConnectionsDelegate: MaximumAvailableConnections(options.connections)),
            onServerRunning: { whenRunning($0.localAddress?.port ?? 0) })
    }
}
