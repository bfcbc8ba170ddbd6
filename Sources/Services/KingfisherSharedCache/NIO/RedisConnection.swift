#if SharedCache
    import NIOCore
    import NIOPosix
    import NIOSSL
    import Synchronization

    /// One connection to a node, on which commands are pipelined.
    ///
    /// Commands of concurrent callers are written together. Safe from any thread.
    final class RedisConnection: Sendable {
        private struct State: Sendable {
            var outbox: [PendingReply] = []
            var outboxBytes = 0
            var isScheduled = false
            var waiting = 0
        }

        private let channel: any Channel
        private let limits: (commands: Int, bytes: Int)
        private let state: SharedState

        private final class SharedState: Sendable {
            let value = Mutex(State())
        }

        private init(channel: any Channel, limits: (commands: Int, bytes: Int), state: SharedState) {
            self.channel = channel
            self.limits = limits
            self.state = state
        }

        var isActive: Bool { channel.isActive }

        /// The number of commands without a reply.
        var load: Int { state.value.withLock(\.waiting) }

        /// Connects and authenticates.
        ///
        /// - Parameter failed: Called once, if the connection fails after this, while commands wait.
        static func connect(
            to node: NodeAddress, _ configuration: RedisConfiguration, on loop: EventLoopExecutor,
            tls: NIOSSLContext?, failed: @escaping @Sendable (RedisError) -> Void
        ) async throws(RedisError) -> RedisConnection {
            let state = SharedState()
            let channel: any Channel
            do {
                channel = try await bootstrap(node, configuration, loop, tls, state, failed)
                    .connect(host: node.host, port: node.port).get()
            } catch {
                throw .unreachable("\(error)")
            }
            let connection = RedisConnection(
                channel: channel, limits: configuration.pendingLimits, state: state)
            do throws(RedisError) {
                _ = try await connection.send(.hello(configuration))
            } catch {
                connection.close()
                // A server without HELLO quotes the arguments, and with them the password.
                throw error.code.map { .server(String($0)) } ?? error
            }
            return connection
        }

        private static func bootstrap(
            _ node: NodeAddress, _ configuration: RedisConfiguration, _ loop: EventLoopExecutor,
            _ tls: NIOSSLContext?, _ state: SharedState, _ failed: @escaping @Sendable (RedisError) -> Void
        ) -> ClientBootstrap {
            ClientBootstrap(group: loop.eventLoop)
                .connectTimeout(TimeAmount(configuration.connectTimeout))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                try NIOSSLClientHandler(context: tls, serverHostname: node.nameForTLS))
                        }
                        try channel.pipeline.syncOperations.addHandler(
                            RedisChannelHandler(
                                limits: RESPParser.Limits(bulk: configuration.maximumReplyBytes),
                                connectTimeout: configuration.connectTimeout,
                                responseTimeout: configuration.responseTimeout,
                                ended: { count in state.value.withLock { $0.waiting -= count } },
                                failed: failed))
                    }
                }
        }

        /// Sends a command, after `ASKING` if the slot of its key is moving to the node.
        nonisolated(nonsending) func send(
            _ command: RedisCommand, asking: Bool = false
        ) async throws(RedisError) -> RESPValue {
            let reply = PendingReply(command.encoded)
            try add(asking ? [PendingReply(RedisCommand("ASKING").encoded), reply] : [reply])
            return try await reply.value()
        }

        func close() { channel.close(promise: nil) }

        private func add(_ replies: [PendingReply]) throws(RedisError) {
            let bytes = replies.reduce(0) { $0 + $1.bytes.count }
            let starts: Bool? = state.value.withLock { state in
                guard state.waiting + replies.count <= limits.commands,
                    state.outboxBytes + bytes <= limits.bytes
                else { return nil }
                state.waiting += replies.count
                state.outbox += replies
                state.outboxBytes += bytes
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            guard let starts else { throw .tooManyCommands }
            if starts { channel.eventLoop.execute { self.flush() } }
        }

        /// Writes what waits in the outbox. Its bytes count until the socket has taken them.
        private func flush() {
            let (replies, bytes) = state.value.withLock { state in
                state.isScheduled = false
                defer { state.outbox = [] }
                return (state.outbox, state.outbox.reduce(0) { $0 + $1.bytes.count })
            }
            channel.writeAndFlush(RedisBatch(replies: replies)).whenComplete { [state] result in
                state.value.withLock { $0.outboxBytes -= bytes }
                guard case .failure(let error) = result else { return }
                for reply in replies { reply.complete(.failure(.unreachable("\(error)"))) }
            }
        }
    }

    extension RedisCommand {
        static func hello(_ configuration: RedisConfiguration) -> RedisCommand {
            let credentials: [Argument] =
                configuration.password.map { password in
                    ["AUTH", .text(configuration.user ?? "default"), .text(password.secret)]
                } ?? []
            return RedisCommand("HELLO", ["3"] + credentials)
        }
    }

    extension NodeAddress {
        /// The host name for server name indication; nil for an address, which is compared with the
        /// certificate as such.
        fileprivate var nameForTLS: String? {
            (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
        }
    }
#endif
