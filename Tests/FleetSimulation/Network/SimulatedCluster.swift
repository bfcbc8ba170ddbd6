import Foundation
import KingfisherSharedCache
import Synchronization

/// What a cluster is made of, and how it fails.
package struct ClusterSettings: Sendable {
    package var primaries = 3
    /// Whether each primary has a replica, which takes over `failover` seconds after a loss.
    package var hasReplicas = false
    /// Seconds; measured with six nodes of redis-server and a node timeout of 2 s: 5.4 to 5.8 s.
    package var failover = 5.6
    /// Bytes of each node.
    package var memory = 4 << 30
    package var evicts = true
    /// Of a node and of a machine, in each direction.
    package var nodeBandwidth = 1.25e8
    package var machineBandwidth = 1.25e9
    /// One way, in seconds: each pair of machine and node has its own, between these.
    package var latency = 0.000_1...0.000_3
    /// Processor time of a node for a command, and for its bytes.
    package var commandTime = 0.000_015
    package var copyRate = 1e9

    package init() {}
}

/// The nodes of a cluster. Safe from any thread.
final class SimulatedCluster: Sendable {
    private struct Node: Sendable {
        let address: NodeAddress
        let shard: Int
        var isUp = true
        var input: Pipe
        var output: Pipe
        var processor: Pipe
        var commands = 0
    }

    private struct Shard: Sendable {
        var engine: Engine
        var primary: Int
    }

    private struct State: Sendable {
        var nodes: [Node]
        var shards: [Shard]
    }

    let settings: ClusterSettings
    private let time: VirtualTime
    private let state: Mutex<State>

    init(_ settings: ClusterSettings, _ time: VirtualTime) {
        self.settings = settings
        self.time = time
        let count = settings.primaries * (settings.hasReplicas ? 2 : 1)
        let nodes = (0..<count).compactMap { number in
            NodeAddress(host: "10.0.\(number / 250).\(number % 250 + 1)", port: 6379).map {
                Node(
                    address: $0, shard: number % settings.primaries,
                    input: Pipe(bytesPerSecond: settings.nodeBandwidth),
                    output: Pipe(bytesPerSecond: settings.nodeBandwidth),
                    processor: Pipe(bytesPerSecond: settings.copyRate))
            }
        }
        let shards = (0..<settings.primaries).map {
            Shard(engine: Engine(memory: settings.memory, evicts: settings.evicts), primary: $0)
        }
        state = Mutex(State(nodes: nodes, shards: shards))
    }

    /// The addresses of the first nodes, which clients are configured with.
    var seeds: [NodeAddress] { state.withLock { $0.nodes.prefix(3).map(\.address) } }

    func isUp(_ node: NodeAddress) -> Bool {
        state.withLock { state in Self.index(node, state).map { state.nodes[$0].isUp } ?? false }
    }

    private static func index(_ address: NodeAddress, _ state: State) -> Int? {
        state.nodes.firstIndex { $0.address == address }
    }
}

// MARK: Commands

extension SimulatedCluster {
    /// When a command that has reached a node is run; nil if the node is lost.
    func arrive(at node: NodeAddress, bytes: Int, time: Int64) -> Int64? {
        state.withLock { state in
            guard let index = Self.index(node, state), state.nodes[index].isUp else { return nil }
            let arrived = state.nodes[index].input.transfer(bytes, at: time)
            return state.nodes[index].processor.transfer(
                bytes, at: arrived, fixed: Int64(settings.commandTime * 1e9))
        }
    }

    /// Runs a command, and returns its reply and when the node has sent it; nil if the node is lost.
    func run(_ command: RedisCommand, on node: NodeAddress, at time: Int64) -> (RESPValue, Int, Int64)? {
        state.withLock { state in
            guard let index = Self.index(node, state), state.nodes[index].isUp else { return nil }
            state.nodes[index].commands += 1
            let reply = Self.reply(to: command, index, at: time, &state)
            let bytes = reply.wireBytes
            let copied = state.nodes[index].processor.transfer(bytes, at: time)
            return (reply, bytes, state.nodes[index].output.transfer(bytes, at: copied))
        }
    }

    private static func reply(
        to command: RedisCommand, _ index: Int, at time: Int64, _ state: inout State
    ) -> RESPValue {
        if command.name == "CLUSTER" { return slots(state) }
        guard let key = command.key else { return .error("ERR no key") }
        let slot = HashSlot.of(key)
        let owner = shard(ofSlot: slot, state.shards.count)
        let primary = state.shards[owner].primary
        guard primary == index else { return .error("MOVED \(slot) \(state.nodes[primary].address)") }
        return state.shards[owner].engine.run(command, at: time / 1_000_000)
    }

    private static func shard(ofSlot slot: Int, _ count: Int) -> Int { slot * count / HashSlot.count }

    private static func slots(_ state: State) -> RESPValue {
        let count = state.shards.count
        return .array(
            state.shards.indices.map { number in
                let first = (number * HashSlot.count + count - 1) / count
                let last = ((number + 1) * HashSlot.count + count - 1) / count - 1
                let address = state.nodes[state.shards[number].primary].address
                return .array([
                    .integer(Int64(first)), .integer(Int64(last)),
                    .array([.text(address.host), .integer(Int64(address.port)), .text("id")]),
                ])
            })
    }
}

// MARK: Loss and measurement

extension SimulatedCluster {
    /// The machine of a primary is lost: its data, and all packets to it.
    func loseNode(_ number: Int) {
        let shard = state.withLock { state in
            state.nodes[number].isUp = false
            if !settings.hasReplicas {
                state.shards[number].engine = Engine(memory: settings.memory, evicts: settings.evicts)
            }
            return state.nodes[number].shard
        }
        guard settings.hasReplicas else { return }
        time.after(.seconds(settings.failover)) { [self] in
            state.withLock { $0.shards[shard].primary = number + settings.primaries }
        }
    }

    /// The machine returns: empty, or as a replica of its replica.
    func returnNode(_ number: Int) { state.withLock { $0.nodes[number].isUp = true } }

    func truncateEntries() {
        state.withLock { state in
            for index in state.shards.indices { state.shards[index].engine.truncateEntries() }
        }
    }

    struct Usage: Sendable {
        var memory = 0
        var evictions = 0
        /// Sent by the busiest node, and by all.
        var peakBytes = 0
        var bytes = 0
        var peakCommands = 0
        var commands = 0
    }

    var usage: Usage {
        state.withLock { state in
            var usage = Usage()
            for shard in state.shards {
                usage.memory += shard.engine.memory
                usage.evictions += shard.engine.evictions
            }
            for node in state.nodes {
                usage.peakBytes = max(usage.peakBytes, node.output.bytes)
                usage.bytes += node.output.bytes
                usage.peakCommands = max(usage.peakCommands, node.commands)
                usage.commands += node.commands
            }
            return usage
        }
    }
}

extension RESPValue {
    var wireBytes: Int {
        switch self {
        case .bytes(let data): ModelledFile.wireBytes(data) + 16
        case .text(let text), .error(let text): text.utf8.count + 3
        case .array(let values), .push(let values): values.reduce(16) { $0 + $1.wireBytes }
        default: 16
        }
    }
}

extension RedisCommand {
    var wireBytes: Int { arguments.reduce(24) { $0 + ModelledFile.wireBytes($1.bytes) + 16 } }
}
