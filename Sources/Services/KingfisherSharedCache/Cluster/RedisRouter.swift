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
        /// Callers that wait for the map; nil unless it is being read.
        var waiting: [CheckedContinuation<Void, Never>]?
        var isClosed = false

        /// The node of an address; if there is none, `made`.
        mutating func node(_ address: NodeAddress, or made: Node?) -> Result<Node?, RedisError> {
            guard !isClosed else { return .failure(.closed) }
            if let node = nodes[address] { return .success(node) }
            guard nodes.count < 2 * ClusterMap.maximumNodes else { return .failure(.unknownNode) }
            nodes[address] = made
            return .success(made)
        }
    }

    private let seeds: [NodeAddress]
    private let isCluster: Bool
    private let environment: TierEnvironment
    private let makeNode: @Sendable (NodeAddress) -> Node
    private let state = Mutex(State())

    /// - Parameter makeNode: Returns a node that connects when it is used. Concurrent callers may make
    ///   several, of which one is used.
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
        await refresh()
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
        if let node = try state.withLock({ $0.node(address, or: nil) }).get() { return node }
        let made = makeNode(address)
        return try state.withLock { $0.node(address, or: made) }.get() ?? made
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
                    if error.suggestsRefresh { startRefresh() }
                    throw error
                }
                switch redirection {
                case .moved(let slot, let address):
                    _ = state.withLock { $0.map.assign(slot, to: address) }
                    startRefresh()
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
        await refresh()
        guard let node = state.withLock({ $0.map[slot] }) else { throw .unknownNode }
        return node
    }

    /// Waits until the map has been read, unless it is too early for that.
    private func refresh() async {
        startRefresh()
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { $0.waiting?.append(continuation) != nil }
            if !isWaiting { continuation.resume() }
        }
    }

    /// Reads the map in the background, unless it is being read or it is too early for that.
    private func startRefresh() {
        let now = environment.instant()
        let starts = state.withLock { state in
            guard state.waiting == nil, !state.isClosed, state.schedule.permits(at: now) else { return false }
            state.waiting = []
            return true
        }
        guard starts else { return }
        Task(executorPreference: environment.executor) { [weak self] in
            guard let self else { return }
            self.end(await self.readMap())
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
        let (now, jitter) = (environment.instant(), environment.jitter())
        // Removed nodes are released outside of the lock.
        let (waiting, _) = state.withLock { state in
            let waiting = state.waiting.take() ?? []
            state.schedule.end(success: map != nil, at: now, jitter: jitter)
            guard let map else { return (waiting, [NodeAddress: Node]()) }
            state.map = map
            let kept = Set(map.nodes + seeds)
            let removed = state.nodes.filter { !kept.contains($0.key) }
            state.nodes = state.nodes.filter { kept.contains($0.key) }
            return (waiting, removed)
        }
        for continuation in waiting { continuation.resume() }
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
