#if SharedCache
    import Kingfisher
    import NIOSSL
    import Synchronization

    /// The connections to one node, behind its circuit breaker. Safe from any thread.
    final class RedisNode: RedisNodeClient {
        private typealias Connecting = Task<Result<RedisConnection, RedisError>, Never>

        private struct State: Sendable {
            var connections: [RedisConnection] = []
            var connecting: Connecting?
            var isClosed = false
        }

        /// A connection with more waiting commands is a reason for another one.
        private static let busyLoad = 32

        let address: NodeAddress
        private let configuration: RedisConfiguration
        private let loop: EventLoopExecutor
        private let tls: NIOSSLContext?
        private let breaker: NodeBreaker
        private let state = Mutex(State())

        init(
            _ address: NodeAddress, _ configuration: RedisConfiguration, on loop: EventLoopExecutor,
            tls: NIOSSLContext?
        ) {
            self.address = address
            self.configuration = configuration
            self.loop = loop
            self.tls = tls
            breaker = NodeBreaker(TierEnvironment(), of: address)
        }

        deinit { close() }

        func send(_ command: RedisCommand, asking: Bool) async throws(RedisError) -> RESPValue {
            guard breaker.permits() else { throw .circuitOpen }
            let connection = try await connection()
            do throws(RedisError) {
                let reply = try await connection.send(command, asking: asking)
                breaker.succeed()
                return reply
            } catch {
                breaker.judge(error)
                throw error
            }
        }

        func close() {
            let connections = state.withLock { state in
                defer { state.connections = [] }
                state.isClosed = true
                return state.connections
            }
            for connection in connections { connection.close() }
        }

        /// The connection with the fewest commands, or a new one if all are busy.
        private nonisolated(nonsending) func connection() async throws(RedisError) -> RedisConnection {
            // Lost connections are released outside of the lock. Order of locks: the node, a connection.
            let (best, connecting, isClosed, _) = state.withLock { state in
                let all = state.connections
                if !all.allSatisfy(\.isActive) { state.connections = all.filter(\.isActive) }
                var best: RedisConnection?
                var load = Int.max
                for connection in state.connections where connection.load < load {
                    (best, load) = (connection, connection.load)
                }
                if load >= Self.busyLoad, !state.isClosed, state.connecting == nil,
                    state.connections.count < max(1, configuration.connectionsPerNode)
                {
                    state.connecting = connect()
                }
                return (best, state.connecting, state.isClosed, all)
            }
            if let best { return best }
            guard !isClosed, let connecting else { throw .closed }
            return try await connecting.value.get()
        }

        private func connect() -> Connecting {
            Task { [weak self, address, configuration, loop, tls, breaker] in
                let result: Result<RedisConnection, RedisError>
                do throws(RedisError) {
                    result = .success(
                        try await RedisConnection.connect(
                            to: address, configuration, on: loop, tls: tls
                        ) { _ in breaker.fail() })
                } catch {
                    breaker.fail()
                    result = .failure(error)
                }
                if let self {
                    self.end(result)
                } else if case .success(let connection) = result {
                    // The node was released, so that nothing waits for the connection.
                    connection.close()
                }
                return result
            }
        }

        private func end(_ result: Result<RedisConnection, RedisError>) {
            let isClosed = state.withLock { state in
                state.connecting = nil
                if case .success(let connection) = result, !state.isClosed {
                    state.connections.append(connection)
                }
                return state.isClosed
            }
            if isClosed, case .success(let connection) = result { connection.close() }
        }
    }
#endif
