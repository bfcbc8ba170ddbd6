#if SharedCache
    import NIOSSL
    import Synchronization

    /// A client for one node or a cluster, on SwiftNIO.
    ///
    /// It connects at the first command, pipelines commands on few connections to each node, and follows
    /// redirections of a cluster. It never repeats a command that a node may have run. Connections are closed
    /// by ``close()``, or when the client is released. Safe from any thread.
    public final class NIORedisClient: RedisClient {
        private struct State: Sendable {
            var nodes: [NodeAddress: RedisNode] = [:]
            var map = ClusterMap()
            var schedule = RefreshSchedule()
            var refresh: Task<Void, Never>?
            var isClosed = false
        }

        private static let maximumHops = 5
        /// How many nodes are asked for the map before a refresh has failed.
        private static let maximumAsked = 5

        private let configuration: RedisConfiguration
        private let tls: NIOSSLContext?
        private let state = Mutex(State())

        /// Makes a client. Throws if the trust anchors cannot be read.
        public init(_ configuration: RedisConfiguration) throws {
            self.configuration = configuration
            guard configuration.usesTLS else {
                tls = nil
                return
            }
            var tlsConfiguration = TLSConfiguration.makeClientConfiguration()
            tlsConfiguration.minimumTLSVersion = .tlsv12
            if let file = configuration.trustAnchors { tlsConfiguration.trustRoots = .file(file) }
            tls = try NIOSSLContext(configuration: tlsConfiguration)
        }

        public func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
            guard configuration.isCluster else {
                guard let address = configuration.nodes.first else { throw .unknownNode }
                return try await node(address).send(command, asking: false)
            }
            return try await sendToCluster(command)
        }

        /// Closes all connections. Later commands fail.
        public func close() {
            let nodes = state.withLock { state in
                defer { state.nodes = [:] }
                state.isClosed = true
                return Array(state.nodes.values)
            }
            for node in nodes { node.close() }
        }

        private func node(_ address: NodeAddress) throws(RedisError) -> RedisNode {
            let node = state.withLock { state -> Result<RedisNode, RedisError> in
                guard !state.isClosed else { return .failure(.closed) }
                if let node = state.nodes[address] { return .success(node) }
                guard state.nodes.count < 2 * ClusterMap.maximumNodes else { return .failure(.unknownNode) }
                let node = RedisNode(address, configuration, tls: tls)
                state.nodes[address] = node
                return .success(node)
            }
            return try node.get()
        }
    }

    // MARK: Cluster

    extension NIORedisClient {
        private func sendToCluster(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
            var target = try await target(of: command)
            var isAsking = false
            for _ in 0...Self.maximumHops {
                do throws(RedisError) {
                    return try await node(target).send(command, asking: isAsking)
                } catch {
                    guard case .server(let text) = error, let redirection = Redirection(text, from: target)
                    else {
                        if error.suggestsRefresh { refresh() }
                        throw error
                    }
                    switch redirection {
                    case .moved(let slot, let address):
                        _ = state.withLock { $0.map.assign(slot, to: address) }
                        refresh()
                        (target, isAsking) = (address, false)
                    case .ask(_, let address): (target, isAsking) = (address, true)
                    }
                }
            }
            throw .tooManyRedirections
        }

        private func target(of command: RedisCommand) async throws(RedisError) -> NodeAddress {
            let slot = command.key.map(HashSlot.of) ?? .random(in: 0..<HashSlot.count)
            if let known = state.withLock({ $0.map[slot] }) { return known }
            await refresh()?.value
            guard let node = state.withLock({ $0.map[slot] }) else { throw .unknownNode }
            return node
        }

        /// Reads the map in the background; nil if it is too early for that.
        @discardableResult
        private func refresh() -> Task<Void, Never>? {
            state.withLock { state in
                if let running = state.refresh { return running }
                guard !state.isClosed, state.schedule.permits(at: .now) else { return nil }
                let task = Task { [weak self] in
                    guard let self else { return }
                    self.end(await self.readMap())
                }
                state.refresh = task
                return task
            }
        }

        private func readMap() async -> ClusterMap? {
            let known = state.withLock(\.map.nodes).shuffled()
            let seeds = configuration.nodes.filter { !known.contains($0) }
            for address in (known.prefix(Self.maximumAsked - 1) + seeds).prefix(2 * Self.maximumAsked) {
                let command = RedisCommand("CLUSTER", ["SLOTS"])
                if let reply = try? await node(address).send(command, asking: false),
                    let map = ClusterMap(reply, from: address)
                {
                    return map
                }
            }
            return nil
        }

        /// Nodes that are not in the new map are released, and close when their commands have ended.
        private func end(_ map: ClusterMap?) {
            // Released outside of the lock.
            _ = state.withLock { state in
                state.refresh = nil
                state.schedule.end(success: map != nil, at: .now, jitter: .random(in: 0.8...1.2))
                guard let map else { return [NodeAddress: RedisNode]() }
                state.map = map
                let kept = Set(map.nodes + configuration.nodes)
                let removed = state.nodes.filter { !kept.contains($0.key) }
                state.nodes = state.nodes.filter { kept.contains($0.key) }
                return removed
            }
        }
    }

    extension RedisError {
        /// Whether another node may have the slot by now.
        fileprivate var suggestsRefresh: Bool {
            switch self {
            case .unreachable, .timedOut, .circuitOpen: true
            case .server: code == "CLUSTERDOWN" || code == "READONLY" || code == "MASTERDOWN"
            default: false
            }
        }
    }
#endif
