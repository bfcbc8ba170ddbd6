import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import FleetSimulation
@testable import KingfisherSharedCache

/// The simulated engine gives the replies of Debian's redis-server.
@Suite(.timeLimit(.minutes(2)))
struct EngineConformanceTests {
    private static let scripts = [RedisScript.writeWithLease, .release, .generation]

    @Test("3,000 random commands have the replies of redis-server", arguments: [1, 2] as [UInt64])
    func random(_ seed: UInt64) async throws {
        let server = try await LocalRedis()
        var engine = Engine(memory: 1 << 30)
        var generator = SeededGenerator(seed: seed)
        var kinds: Set<String> = []
        for number in 0..<3000 {
            let command = Self.command(&generator)
            let real = await server.run(command)
            let simulated = engine.run(command, at: 0)
            #expect(Self.comparable(real) == Self.comparable(simulated), "\(number): \(command.arguments)")
            kinds.insert("\(command.name) \(Self.comparable(simulated))".prefix(12).description)
        }
        #expect(kinds.count > 12, "\(kinds)")
    }

    @Test("A value ends when its time to live has passed")
    func expiration() async throws {
        let server = try await LocalRedis()
        var engine = Engine(memory: 1 << 30)
        let steps: [(wait: Int, RedisCommand)] = [
            (0, RedisCommand("SET", ["lease", "a", "NX", "PX", .integer(200)], key: "lease")),
            (0, RedisCommand("SET", ["lease", "b", "NX", "PX", .integer(200)], key: "lease")),
            (0, RedisCommand("SET", ["entry", "x", "PX", .integer(60_000)], key: "entry")),
            (300, RedisCommand("SET", ["lease", "b", "NX", "PX", .integer(60_000)], key: "lease")),
            (
                0,
                RedisCommand(
                    "EVAL", [.text(RedisScript.release.source), .integer(1), "lease", "a"], key: "lease")
            ),
            (0, RedisCommand("GET", ["lease"], key: "lease")),
            (0, RedisCommand("GET", ["entry"], key: "entry")),
            (0, RedisCommand("SET", ["entry", "x", "PX", .integer(0)], key: "entry")),
        ]
        var time: Int64 = 0
        for (wait, command) in steps {
            time += Int64(wait)
            try await Task.sleep(for: .milliseconds(wait))
            let real = await server.run(command)
            #expect(
                Self.comparable(real) == Self.comparable(engine.run(command, at: time)),
                "\(command.arguments)")
        }
    }

    @Test("Full engines refuse, or evict what was not used for longest", arguments: [true, false])
    func full(_ evicts: Bool) {
        var engine = Engine(memory: 10_000, evicts: evicts)
        func set(_ key: String) -> RESPValue {
            engine.run(RedisCommand("SET", [.text(key), .data(Data(count: 4000))], key: key), at: 0)
        }
        #expect(set("a") == .text("OK") && set("b") == .text("OK"))
        _ = engine.run(RedisCommand("GET", ["a"], key: "a"), at: 0)
        let third = set("c")
        guard evicts else {
            guard case .error(let text) = third else { return _ = Issue.record("stored") }
            #expect(text.hasPrefix("OOM") && engine.count == 2)
            return
        }
        #expect(third == .text("OK") && engine.evictions == 1)
        #expect(engine.run(RedisCommand("GET", ["b"], key: "b"), at: 0) == .null)
        #expect(engine.run(RedisCommand("GET", ["a"], key: "a"), at: 0) != .null)
    }

    private static func command(_ generator: inout SeededGenerator) -> RedisCommand {
        func pick(_ values: [String]) -> RedisCommand.Argument {
            .text(values.randomElement(using: &generator) ?? "")
        }
        let keys = ["a", "b", "c"], values = ["1", "2", "3", ""]
        let key = pick(keys)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: return RedisCommand("GET", [key], key: "a")
        case 2: return RedisCommand("SET", [key, pick(values)], key: "a")
        case 3: return RedisCommand("SET", [key, pick(values), "PX", .integer(600_000)], key: "a")
        case 4: return RedisCommand("SET", [key, pick(values), "NX", "PX", .integer(600_000)], key: "a")
        case 5: return RedisCommand("DEL", [key, pick(keys)], key: "a")
        case 6: return RedisCommand(pick(["SET", "GET", "DEL"]).word, [], key: "a")
        default:
            let script = Int.random(in: 0..<3, using: &generator)
            let isText = Int.random(in: 0..<4, using: &generator) == 0
            let name = RedisCommand.Argument.text(isText ? scripts[script].source : scripts[script].digest)
            let rest: [RedisCommand.Argument] =
                switch script {
                case 0: [.integer(2), key, pick(keys), pick(values), pick(values), .integer(600_000)]
                case 1: [.integer(1), key, pick(values)]
                default: [.integer(1), key, pick(values), .integer(600_000)]
                }
            return RedisCommand(isText ? "EVAL" : "EVALSHA", [name] + rest, key: "a")
        }
    }

    /// Errors by their code; texts and bytes alike.
    private static func comparable(_ value: RESPValue) -> RESPValue {
        switch value {
        case .error(let text): .error(String(text.prefix { $0 != " " }))
        case .bytes(let data): .text(String(decoding: data, as: UTF8.self))
        default: value
        }
    }
}

extension RedisCommand.Argument {
    fileprivate var word: String { String(decoding: bytes, as: UTF8.self) }
}

/// A redis-server on a free port of 127.0.0.1, without persistence. Stopped at the end.
private final class LocalRedis: Sendable {
    private let process: Process
    private let client: SerialRedisClient

    init() async throws {
        for port in (20_000..<60_000).shuffled().prefix(20) {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/redis-server")
            process.arguments = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            if await poll(upTo: .seconds(5), until: { !process.isRunning || Self.connect(port) != nil }),
                process.isRunning, let descriptor = Self.connect(port),
                let client = SerialRedisClient(descriptor: descriptor)
            {
                (self.process, self.client) = (process, client)
                return
            }
            kill(process.processIdentifier, SIGKILL)
        }
        throw CocoaError(.fileReadUnknown)
    }

    // Not terminate(): a process that is started on a thread of Dispatch inherits its blocked signals.
    deinit { kill(process.processIdentifier, SIGKILL) }

    func run(_ command: RedisCommand) async -> RESPValue {
        do throws(RedisError) {
            return try await client.send(command)
        } catch {
            if case .server(let text) = error { return .error(text) }
            Issue.record(error)
            return .null
        }
    }

    private static func connect(_ port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if !isConnected { close(descriptor) }
        return isConnected ? descriptor : nil
    }
}
