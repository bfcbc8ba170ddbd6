#if SharedCache
    import NIOPosix
    import NIOSSL

    /// A client for one node or a cluster, on SwiftNIO.
    ///
    /// It connects at the first command, pipelines commands on few connections to each node, and follows
    /// redirections of a cluster. It never repeats a command that a node may have run. Connections are closed
    /// by ``close()``, or when the client is released. Safe from any thread.
    ///
    /// All connections are read by one thread of SwiftNIO, which is also the ``executor``: a task that runs
    /// there sends commands and gets replies without waking another thread.
    public final class NIORedisClient: RedisClient {
        private let loop = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
        private let router: RedisRouter<RedisNode>

        /// Makes a client. Throws if the trust anchors cannot be read.
        public init(_ configuration: RedisConfiguration) throws {
            let tls = try Self.tls(configuration)
            router = RedisRouter(configuration) { [loop] in RedisNode($0, configuration, on: loop, tls: tls) }
        }

        public var executor: (any TaskExecutor)? { loop }

        public func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
            try await router.send(command)
        }

        /// The node, or the nodes of the cluster that have slots, in the order of their slots.
        public func primaries() async throws(RedisError) -> [NodeAddress] { try await router.primaries() }

        /// Asks a node about itself, by `INFO`.
        public func information(of node: NodeAddress) async throws(RedisError) -> RedisNodeInformation {
            let start = ContinuousClock.now
            let command = RedisCommand("INFO", ["server", "memory", "stats", "keyspace"])
            let reply = try await router.send(command, to: node)
            guard let found = RedisNodeInformation(reply, of: node, after: .now - start) else {
                throw .malformedReply("INFO")
            }
            return found
        }

        /// Closes all connections. Later commands fail.
        public func close() { router.close() }

        private static func tls(_ configuration: RedisConfiguration) throws -> NIOSSLContext? {
            guard configuration.usesTLS else { return nil }
            var tlsConfiguration = TLSConfiguration.makeClientConfiguration()
            tlsConfiguration.minimumTLSVersion = .tlsv12
            if let file = configuration.trustAnchors { tlsConfiguration.trustRoots = .file(file) }
            return try NIOSSLContext(configuration: tlsConfiguration)
        }
    }
#endif
