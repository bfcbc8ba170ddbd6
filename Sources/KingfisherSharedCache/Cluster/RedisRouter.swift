package import Kingfisher
import Synchronization

/// The connections to one node, as a router needs them.
package protocol RedisNodeClient: AnyObject, Sendable {
    /// - Parameter asking: Whether to send `ASKING` before the command.
    func send(_ command: RedisCommand, asking: Bool) async throws(RedisError) -> RESPValue
    func close()
}

/// Sends each command to the node of its key, and follows the redirections of a cluster.
///
/// It never repeats a command that a node may have run. Safe from any thread.
package final class RedisRouter<Node: RedisNodeClient>: Sendable {
    private struct State: Sendable {
        var nodes: [NodeAddress: Node] = [:]
        var map = ClusterMap()
        var schedule = RefreshSchedule()
        var refresh: Task<Void, Never>?
        var isClosed = false
    }

    private let seeds: [NodeAddress]
    private let isCluster: Bool
    private let environment: TierEnvironment
    private let makeNode: @Sendable (NodeAddress) -> Node
    private let state = Mutex(State())

    /// - Parameter makeNode: Returns a node that connects when it is used. Runs under a lock.
    package init(
        _ configuration: RedisConfiguration, environment: TierEnvironment = TierEnvironment(),
        makeNode: @escaping @Sendable (NodeAddress) -> Node
    ) {
        seeds = configuration.nodes
        isCluster = configuration.isCluster
        self.environment = environment
        self.makeNode = makeNode
    }

    package func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        guard isCluster else {
            guard let address = seeds.first else { throw .unknownNode }
            return try await node(address).send(command, asking: false)
        }
        return try await sendToCluster(command)
    }

    /// Sends a command to a node, and follows no redirection.
    package func send(
        _ command: RedisCommand, to address: NodeAddress
    ) async throws(RedisError) -> RESPValue {
        try await node(address).send(command, asking: false)
    }

    /// The nodes that have slots; the only node if there is no cluster.
    package func primaries() async throws(RedisError) -> [NodeAddress] {
        guard isCluster else { return seeds }
        await refresh()?.value
        let nodes = state.withLock { $0.map.owners }
        guard !nodes.isEmpty else { throw .unknownNode }
        return nodes
    }

    /// Closes all nodes. Later commands fail.
    package func close() {
        let nodes = state.withLock { state in
            defer { state.nodes = [:] }
            state.isClosed = true
            return Array(state.nodes.values)
        }
        for node in nodes { node.close() }
    }

    private func node(_ address: NodeAddress) throws(RedisError) -> Node {
        let node = state.withLock { state -> Result<Node, RedisError> in
            guard !state.isClosed else { return .failure(.closed) }
            if let node = state.nodes[address] { return .success(node) }
            guard state.nodes.count < 2 * ClusterMap.maximumNodes else { return .failure(.unknownNode) }
            let node = makeNode(address)
            state.nodes[address] = node
            return .success(node)
        }
        return try node.get()
    }
}

// MARK: Cluster

private let maximumHops = 5
/// How many nodes are asked for the map before a refresh has failed.
private let maximumAsked = 5

extension RedisRouter {
    private func sendToCluster(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        var target = try await target(of: command)
        var isAsking = false
        for _ in 0...maximumHops {
            do throws(RedisError) {
                return try await node(target).send(command, asking: isAsking)
            } catch {
                guard case .server(let text) = error, let redirection = Redirection(text, from: target) else {
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
        var generator = environment.generator
        let slot = command.key.map(HashSlot.of) ?? .random(in: 0..<HashSlot.count, using: &generator)
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
            guard !state.isClosed, state.schedule.permits(at: environment.instant()) else { return nil }
            let task = Task(executorPreference: environment.executor) { [weak self] in
                guard let self else { return }
                self.end(await self.readMap())
            }
            state.refresh = task
            return task
        }
    }

    private func readMap() async -> ClusterMap? {
        var generator = environment.generator
        let known = state.withLock(\.map.nodes).shuffled(using: &generator)
        let others = seeds.filter { !known.contains($0) }
        for address in (known.prefix(maximumAsked - 1) + others).prefix(2 * maximumAsked) {
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
        let jitter = environment.jitter()
        // Released outside of the lock.
        _ = state.withLock { state in
            state.refresh = nil
            state.schedule.end(success: map != nil, at: environment.instant(), jitter: jitter)
            guard let map else { return [NodeAddress: Node]() }
            state.map = map
            let kept = Set(map.nodes + seeds)
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
