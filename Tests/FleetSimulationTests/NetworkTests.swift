import Synchronization
import Testing

@testable import FleetSimulation
@testable import KingfisherSharedCache

struct NetworkTests {
    private struct Reply: Sendable {
        let outcome: Result<RESPValue, RedisError>
        let time: Double
    }

    private struct Rig {
        let time = VirtualTime()
        let cluster: SimulatedCluster
        let machine = MachineNetwork(bandwidth: 1e9)
        let client: SimulatedClient

        init(_ change: (inout ClusterSettings) -> Void = { _ in }) {
            var settings = ClusterSettings()
            settings.latency = 0.001...0.001
            change(&settings)
            cluster = SimulatedCluster(settings, time)
            client = SimulatedClient(cluster, machine, time, SimulatedRandom(seed: 1))
        }

        /// Sends a command, and runs the clock until its reply.
        func send(_ command: RedisCommand) throws -> Reply {
            let reply = Mutex<Reply?>(nil)
            let box = Box(reply)
            time.start { [client, time] in
                let outcome: Result<RESPValue, RedisError>
                do throws(RedisError) {
                    outcome = .success(try await client.send(command))
                } catch {
                    outcome = .failure(error)
                }
                box.value.withLock { $0 = Reply(outcome: outcome, time: time.seconds) }
            }
            time.run(until: time.seconds + 10)
            return try #require(box.value.withLock { $0 })
        }
    }

    private final class Box: Sendable {
        let value: Mutex<Reply?>

        init(_ value: consuming Mutex<Reply?>) { self.value = value }
    }

    private func set(_ key: String) -> RedisCommand { RedisCommand("SET", [.text(key), "1"], key: key) }

    private func get(_ key: String) -> RedisCommand { RedisCommand("GET", [.text(key)], key: key) }

    /// A key on the first node.
    private var key: String {
        (0...).lazy.map { "key \($0)" }.first { HashSlot.of($0) < HashSlot.count / 3 } ?? ""
    }

    @Test("A command on an open connection takes one round trip")
    func latency() throws {
        let rig = Rig()
        _ = try rig.send(set(key))
        let begin = rig.time.seconds
        let reply = try rig.send(get(key))
        #expect(try reply.outcome.get().string == "1")
        #expect((0.002...0.0021).contains(reply.time - begin), "\(reply.time - begin)")
    }

    @Test("A large value takes the time of the slowest link")
    func bandwidth() throws {
        let rig = Rig { $0.nodeBandwidth = 1e6 }
        let file = ModelledFile(image: 1, version: 0, size: 1_000_000)
        _ = try rig.send(RedisCommand("SET", [.text(key), .data(file.data)], key: key))
        let begin = rig.time.seconds
        let reply = try rig.send(get(key))
        // The response timeout is 200 ms without a reply.
        #expect(reply.outcome == .failure(.timedOut) && reply.time - begin > 0.19)
    }

    @Test("A lost node times out, then fails at once, and works again after its return, empty")
    func loss() throws {
        let rig = Rig()
        _ = try rig.send(set(key))
        rig.cluster.loseNode(0)
        let first = try rig.send(get(key))
        #expect(first.outcome == .failure(.timedOut))
        var outcomes: [Result<RESPValue, RedisError>] = []
        for _ in 0..<3 { outcomes.append(try rig.send(get(key)).outcome) }
        #expect(outcomes.allSatisfy { if case .failure(.unreachable) = $0 { true } else { false } })
        rig.cluster.returnNode(0)
        #expect(try rig.send(get(key)).outcome == .success(.null))
    }

    @Test("After five failures within ten seconds the circuit breaker refuses at once")
    func breaker() throws {
        let rig = Rig()
        rig.cluster.loseNode(0)
        let errors = Mutex<[RedisError]>([])
        let box = ErrorBox(errors)
        rig.time.start { [client = rig.client, command = get(key)] in
            for _ in 0..<20 {
                do throws(RedisError) { _ = try await client.send(command) } catch {
                    box.value.withLock { $0.append(error) }
                }
            }
        }
        rig.time.run(until: 4)
        let found = box.value.withLock { $0 }
        #expect(found.count == 20 && found.suffix(10).allSatisfy { $0 == .circuitOpen || $0 == .unknownNode })
    }

    private final class ErrorBox: Sendable {
        let value: Mutex<[RedisError]>

        init(_ value: consuming Mutex<[RedisError]>) { self.value = value }
    }

    @Test("A replica takes over with the data, and clients find it")
    func failover() throws {
        let rig = Rig { ($0.hasReplicas, $0.failover) = (true, 5) }
        _ = try rig.send(set(key))
        rig.cluster.loseNode(0)
        #expect(throws: RedisError.self) { try rig.send(get(key)).outcome.get() }
        _ = try rig.send(get(key))
        #expect(try rig.send(get(key)).outcome.get().string == "1")
        rig.cluster.returnNode(0)
        #expect(try rig.send(get(key)).outcome.get().string == "1")
    }

    @Test("The map of the cluster covers all slots, each by its owner", arguments: [1, 3, 7, 100])
    func slots(_ primaries: Int) throws {
        let rig = Rig { $0.primaries = primaries }
        for number in 0..<50 {
            let key = "key \(number)"
            #expect(try rig.send(set(key)).outcome.get() == .text("OK"))
        }
        // Without redirections: a command for each key, and one for the map.
        #expect(rig.cluster.usage.commands <= 51 + 1)
    }
}
