import Kingfisher
import KingfisherSharedCache
import Synchronization

/// The network of one machine: its links, and whether it is up. Safe from any thread.
final class MachineNetwork: Sendable {
    private struct State: Sendable {
        var input: Pipe
        var output: Pipe
        var isUp = true
    }

    private let state: Mutex<State>

    init(bandwidth: Double) {
        state = Mutex(
            State(input: Pipe(bytesPerSecond: bandwidth), output: Pipe(bytesPerSecond: bandwidth)))
    }

    var isUp: Bool {
        get { state.withLock(\.isUp) }
        set { state.withLock { $0.isUp = newValue } }
    }

    func send(_ bytes: Int, at time: Int64) -> Int64 {
        state.withLock { $0.output.transfer(bytes, at: time) }
    }

    func receive(_ bytes: Int, at time: Int64) -> Int64 {
        state.withLock { $0.input.transfer(bytes, at: time) }
    }
}

/// The connection of a machine to a node, with the timeouts, limits and circuit breaker of `RedisNode` and
/// `RedisChannelHandler`. A lost node or machine is silent. Safe from any thread.
final class SimulatedNodeClient: RedisNodeClient {
    private typealias Waiter = UnsafeContinuation<Result<RESPValue, RedisError>, Never>
    private typealias Connecting = UnsafeContinuation<RedisError?, Never>

    private enum Phase: Sendable {
        case closed
        case connecting([Connecting])
        case open
    }

    private struct State: Sendable {
        var phase = Phase.closed
        /// Counts connections, so that replies on an earlier one are ignored.
        var connection = 0
        var waiting: [(number: Int, waiter: Waiter)] = []
        var sent = 0
        var progress: Int64 = 0
        var hasTimer = false
    }

    private let address: NodeAddress
    private let cluster: SimulatedCluster
    private let machine: MachineNetwork
    private let time: VirtualTime
    private let configuration: RedisConfiguration
    /// Nanoseconds.
    private let latency: Int64
    private let breaker: NodeBreaker
    private let state = Mutex(State())

    init(
        _ address: NodeAddress, _ cluster: SimulatedCluster, _ machine: MachineNetwork, _ time: VirtualTime,
        _ configuration: RedisConfiguration, latency: Double, environment: TierEnvironment
    ) {
        self.address = address
        self.cluster = cluster
        self.machine = machine
        self.time = time
        self.configuration = configuration
        self.latency = Int64(latency * 1e9)
        breaker = NodeBreaker(environment)
    }

    func close() {}

    func send(_ command: RedisCommand, asking: Bool) async throws(RedisError) -> RESPValue {
        guard breaker.permits() else { throw .circuitOpen }
        if let error = await connect() { throw error }
        let result = await withUnsafeContinuation { submit(command, $0) }
        do throws(RedisError) {
            let reply = try result.get()
            breaker.succeed()
            return reply
        } catch {
            breaker.judge(error)
            throw error
        }
    }
}

// MARK: Connecting

extension SimulatedNodeClient {
    private var reaches: Bool { machine.isUp && cluster.isUp(address) }

    private func connect() async -> RedisError? {
        await withUnsafeContinuation { (continuation: Connecting) in
            let (isOpen, begins) = state.withLock { state in
                switch state.phase {
                case .open: return (true, false)
                case .closed:
                    state.phase = .connecting([continuation])
                    return (false, true)
                case .connecting(let others):
                    state.phase = .connecting(others + [continuation])
                    return (false, false)
                }
            }
            if isOpen { return continuation.resume(returning: nil) }
            guard begins else { return }
            // Two round trips: TCP and HELLO.
            let delay = reaches ? .nanoseconds(4 * latency) : configuration.connectTimeout
            time.after(delay) { [self] in
                end(reaches ? nil : .unreachable("no reply"))
            }
        }
    }

    private func end(_ error: RedisError?) {
        if error != nil { breaker.fail() }
        let waiters = state.withLock { state in
            guard case .connecting(let waiters) = state.phase else { return [Connecting]() }
            state.phase = error == nil ? .open : .closed
            state.connection += 1
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: error) }
    }
}

// MARK: Commands

extension SimulatedNodeClient {
    private func submit(_ command: RedisCommand, _ waiter: Waiter) {
        let now = time.nanoseconds
        let limit = configuration.pendingLimits.commands * configuration.connectionsPerNode
        let (error, number, connection): (RedisError?, Int, Int) = state.withLock { state in
            guard case .open = state.phase else { return (.unreachable("closed"), 0, 0) }
            guard state.waiting.count < limit else { return (.tooManyCommands, 0, 0) }
            if state.waiting.isEmpty { state.progress = now }
            state.sent += 1
            state.waiting.append((state.sent, waiter))
            return (nil, state.sent, state.connection)
        }
        if let error { return waiter.resume(returning: .failure(error)) }
        watch()
        guard machine.isUp else { return }
        let bytes = command.wireBytes
        time.at(machine.send(bytes, at: now) + latency) { [self] in
            guard let start = cluster.arrive(at: address, bytes: bytes, time: time.nanoseconds) else {
                return
            }
            time.at(start) { [self] in
                guard let (reply, size, sent) = cluster.run(command, on: address, at: start) else { return }
                time.at(sent + latency) { [self] in
                    guard machine.isUp else { return }
                    let received = machine.receive(size, at: time.nanoseconds)
                    time.at(received) { self.complete(number, connection, reply) }
                }
            }
        }
    }

    private func complete(_ number: Int, _ connection: Int, _ reply: RESPValue) {
        let waiter: Waiter? = state.withLock { state in
            guard connection == state.connection,
                let index = state.waiting.firstIndex(where: { $0.number == number })
            else { return nil }
            state.progress = time.nanoseconds
            return state.waiting.remove(at: index).waiter
        }
        if case .error(let text) = reply {
            waiter?.resume(returning: .failure(.server(text)))
        } else {
            waiter?.resume(returning: .success(reply))
        }
    }

    /// Fails all waiting commands if none was answered for the response timeout, as one failure.
    private func watch() {
        let limit = configuration.responseTimeout.nanoseconds
        let due: Int64? = state.withLock { state in
            guard !state.hasTimer, !state.waiting.isEmpty else { return nil }
            state.hasTimer = true
            return state.progress + limit
        }
        guard let due else { return }
        time.at(due) { [self] in
            let failed: [Waiter] = state.withLock { state in
                state.hasTimer = false
                guard !state.waiting.isEmpty, time.nanoseconds >= state.progress + limit else { return [] }
                defer { state.waiting = [] }
                state.phase = .closed
                return state.waiting.map(\.waiter)
            }
            guard !failed.isEmpty else { return watch() }
            breaker.fail()
            for waiter in failed { waiter.resume(returning: .failure(.timedOut)) }
        }
    }
}

/// The client of one machine: the library's routing and redirections, over simulated connections.
struct SimulatedClient: RedisClient {
    private let router: RedisRouter<SimulatedNodeClient>

    init(
        _ cluster: SimulatedCluster, _ machine: MachineNetwork, _ time: VirtualTime, _ random: SimulatedRandom
    ) {
        var configuration = RedisConfiguration(nodes: cluster.seeds)
        configuration.isCluster = true
        let range = cluster.settings.latency
        let environment = time.environment(random)
        router = RedisRouter(configuration, environment: environment) { [configuration] address in
            let latency = range.lowerBound + random.unit() * (range.upperBound - range.lowerBound)
            return SimulatedNodeClient(
                address, cluster, machine, time, configuration, latency: latency, environment: environment)
        }
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        try await router.send(command)
    }
}
