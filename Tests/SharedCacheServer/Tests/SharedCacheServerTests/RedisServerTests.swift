import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher
@testable import KingfisherSharedCache

/// The client and the tier against Debian's redis-server.
@Suite(.timeLimit(.minutes(1)))
struct RedisServerTests {
    private let key = TierKey(cacheKey: "https://example.com/a.png", processorIdentifier: "p")

    private func entry(_ count: Int = 1000, _ tags: [String] = []) -> TierEntry {
        TierEntry(
            data: Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }), mediaType: "image/png",
            validators: Data([1, 2]), tags: tags)
    }

    private func hit(_ tier: RedisTier, _ key: TierKey) async throws -> TierEntry? {
        if case .hit(let entry) = try await tier.read(key) { entry } else { nil }
    }

    private func options(_ change: (inout RedisTierOptions) -> Void = { _ in }) -> RedisTierOptions {
        var options = RedisTierOptions()
        options.earlyRenewal = 0
        options.tagMemory = .zero
        change(&options)
        return options
    }

    @Test("The digests of scripts are those of the server")
    func digests() async throws {
        let client = try await RedisServer().clientAndServer()
        for script in [RedisScript.writeWithLease, .release, .generation] {
            let reply = try await client.send(RedisCommand("SCRIPT", ["LOAD", .text(script.source)]))
            #expect(reply.string == script.digest)
        }
    }

    @Test("An entry is read as it was written, up to the largest", arguments: [0, 1, 20_000, 8 << 20])
    func roundTrip(_ count: Int) async throws {
        let client = try await RedisServer().clientAndServer()
        let (first, second) = (
            RedisTier(client: client, options: options()), RedisTier(client: client, options: options())
        )
        let entry = entry(count, ["a"])
        try await first.write(entry, for: key, lease: nil)
        let found = try #require(try await hit(second, key))
        #expect(found.data == entry.data && found.isIntact && found.tags == ["a"])
        #expect(found.mediaType == "image/png" && found.validators == entry.validators)
        try await second.remove(key)
        #expect(try await hit(first, key) == nil)
    }

    @Test("Leases, lost leases, removal and tags work by the server's scripts")
    func leases() async throws {
        let client = try await RedisServer().clientAndServer()
        let tier = RedisTier(client: client, options: options())
        guard case .absent(let lease?) = try await tier.read(key), case .busy = try await tier.read(key)
        else {
            Issue.record("expected one lease")
            return
        }
        await #expect(throws: TierError.self) {
            try await tier.write(entry(), for: key, lease: TierLease(token: "other"))
        }
        try await tier.write(entry(1000, ["a", "b"]), for: key, lease: lease)
        #expect(try await hit(tier, key) != nil)
        try await tier.invalidate(tag: "b")
        guard case .absent(let second?) = try await tier.read(key) else {
            Issue.record("expected an invalid entry")
            return
        }
        await tier.release(second, for: key)
        guard case .absent(let third?) = try await tier.read(key) else {
            Issue.record("expected a released lease")
            return
        }
        try await tier.remove(key)
        await #expect(throws: TierError.self) { try await tier.write(entry(), for: key, lease: third) }
    }

    @Test("Poisoned values and values of another type are removed")
    func poisoned() async throws {
        let client = try await RedisServer().clientAndServer()
        let tier = RedisTier(client: client, options: options())
        let name = EntryNames(key, version: "").entry
        for command in [
            RedisCommand("SET", [.text(name), "poison"], key: name),
            RedisCommand("RPUSH", [.text(name), "poison"], key: name),
        ] {
            _ = try await client.send(command)
            guard case .absent(let lease?) = try await tier.read(key) else {
                Issue.record("expected no entry")
                return
            }
            #expect(try await client.send(RedisCommand("EXISTS", [.text(name)], key: name)) == .integer(0))
            await tier.release(lease, for: key)
        }
    }

    @Test("Truncated and changed values, and those of other keys, are removed", arguments: 0..<6)
    func damaged(_ number: Int) async throws {
        let client = try await RedisServer().clientAndServer()
        let tier = RedisTier(client: client, options: options())
        let other = TierKey(cacheKey: "other")
        try await tier.write(entry(), for: key, lease: nil)
        try await tier.write(entry(), for: other, lease: nil)
        let (name, otherName) = (EntryNames(key, version: "").entry, EntryNames(other, version: "").entry)
        func stored(_ name: String) async throws -> Data {
            let reply = try await client.send(RedisCommand("GET", [.text(name)], key: name))
            guard case .bytes(let data) = reply else { throw CocoaError(.fileReadCorruptFile) }
            return data
        }
        let whole = try await stored(name)
        var changed = whole
        changed[whole.count / 2] ^= 1
        let values = [
            Data(), whole.prefix(3), whole.prefix(40), whole.dropLast(), changed, try await stored(otherName),
        ]
        _ = try await client.send(
            RedisCommand("SET", [.text(name), .data(values[number])], key: name))
        guard case .absent(let lease?) = try await tier.read(key) else {
            Issue.record("expected no entry")
            return
        }
        #expect(try await client.send(RedisCommand("EXISTS", [.text(name)], key: name)) == .integer(0))
        try await tier.write(entry(), for: key, lease: lease)
        #expect(try await hit(tier, key) != nil)
    }

    @Test(
        "A machine whose clock is an hour wrong shares leases, and no entry outlives its time in the engine")
    func skew() async throws {
        let client = try await RedisServer().clientAndServer()
        func machine(_ seconds: TimeInterval) -> RedisTier {
            var environment = TierEnvironment()
            environment.now = { Date() + seconds }
            return RedisTier(client: client, options: options(), environment: environment)
        }
        let (early, right, late) = (machine(3600), machine(0), machine(-3600))
        guard case .absent(let lease?) = try await right.read(key), case .busy = try await early.read(key),
            case .busy = try await late.read(key)
        else {
            Issue.record("expected one lease")
            return
        }
        let short = TierEntry(data: Data([1]), expiration: Date() + 600)
        try await right.write(short, for: key, lease: lease)
        for machine in [right, late] { #expect(try await hit(machine, key) != nil) }
        // For the early one it has expired.
        guard case .absent(let next?) = try await early.read(key) else {
            Issue.record("expected an expired entry")
            return
        }
        try await early.write(TierEntry(data: Data([2])), for: key, lease: next)
        let name = EntryNames(key, version: "").entry
        for machine in [early, right, late] { #expect(try await hit(machine, key)?.data == Data([2])) }
        guard case .integer(let rest) = try await client.send(RedisCommand("PTTL", [.text(name)], key: name))
        else {
            Issue.record("expected a time to live")
            return
        }
        #expect(rest > 0 && rest <= 7 * 86_400_000)
    }

    @Test("An entry that was being made when its tag was invalidated is not stored")
    func invalidatedMeanwhile() async throws {
        let client = try await RedisServer().clientAndServer()
        let tier = RedisTier(client: client, options: options())
        guard case .absent(let lost?) = try await tier.read(key) else {
            Issue.record("expected a lease")
            return
        }
        try await tier.invalidate(tag: "a")
        await #expect(throws: TierError.self) {
            try await tier.write(entry(10, ["a"]), for: key, lease: lost)
        }
        // A slow reply makes the invalidation look later, so the first of these entries may also be lost.
        var isStored = false
        for _ in 0..<50 where !isStored {
            try await Task.sleep(for: .milliseconds(100))
            guard case .absent(let next?) = try await tier.read(key) else {
                Issue.record("expected the lease to be released")
                return
            }
            isStored = (try? await tier.write(entry(10, ["a"]), for: key, lease: next)) != nil
        }
        #expect(try await hit(tier, key) != nil)
    }

    @Test("The information of a node has its engine, keys and limit")
    func information() async throws {
        let server = try await RedisServer(["--maxmemory", "100mb"])
        let client = try server.client()
        let tier = RedisTier(client: client, options: options())
        try await tier.write(entry(), for: key, lease: nil)
        let nodes = try await client.primaries()
        #expect(nodes.map(\.port) == [server.port])
        let found = try await client.information(of: nodes[0])
        #expect(found.keys == 1 && found.maximumBytes == 100 << 20 && found.usedBytes > 1000)
        #expect(["redis", "valkey"].contains(found.engine) && found.version.first?.isNumber == true)
    }

    @Test("2,000 concurrent commands on two connections get their own replies")
    func pipelining() async throws {
        let server = try await RedisServer()
        var configuration = try server.configuration()
        configuration.pendingLimits.commands = 2000
        let client = try NIORedisClient(configuration)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let text = "\(number)-\(String(repeating: "x", count: number % 700))"
                    return try await client.send(RedisCommand("ECHO", [.text(text)]))
                        == .bytes(Data(text.utf8))
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        let clients = try await client.send(RedisCommand("CLIENT", ["LIST"])).string ?? ""
        #expect((1...2).contains(clients.split(separator: "\n").count))
    }

    @Test("An ACL user with the documented commands and the right password can do all that the tier does")
    func access() async throws {
        let commands =
            "-@all +get +set +del +eval +evalsha +hello +pexpire +pttl +info +asking +cluster|slots"
        let server = try await RedisServer(
            ["--user", "default", "off", "--user", "images", "on", ">right", "~kf1:*"]
                + commands.split(separator: " ").map(String.init))
        var configuration = try server.configuration()
        configuration.user = "images"
        configuration.password = RedisPassword("right")
        let tier = RedisTier(client: try NIORedisClient(configuration), options: options())
        guard case .absent(let lease?) = try await tier.read(key) else {
            Issue.record("expected a lease")
            return
        }
        try await tier.write(entry(1000, ["a"]), for: key, lease: lease)
        try await tier.write(entry(1000, ["a"]), for: key, lease: nil)
        #expect(try await hit(tier, key) != nil)
        try await tier.invalidate(tag: "a")
        try await tier.remove(key)
        _ = try await NIORedisClient(configuration).information(of: configuration.nodes[0])
        configuration.password = RedisPassword("wrong-secret")
        let client = try NIORedisClient(configuration)
        let error = await #expect(throws: RedisError.self) { _ = try await client.send(RedisCommand("PING")) }
        #expect(error?.code == "WRONGPASS" && !"\(String(describing: error))".contains("wrong-secret"))
        configuration.password = nil
        let stranger = try NIORedisClient(configuration)
        await #expect(throws: RedisError.self) { _ = try await stranger.send(RedisCommand("PING")) }
    }

    @Test("A stopped server is an error, and after its restart the client connects again")
    func restart() async throws {
        let server = try await RedisServer()
        let client = try server.client()
        _ = try await client.send(RedisCommand("PING"))
        server.stop()
        await #expect(throws: RedisError.self) { _ = try await client.send(RedisCommand("PING")) }
        try await server.start()
        #expect(try await client.send(RedisCommand("PING")) == .text("PONG"))
    }

    @Test("A suspended server opens the circuit breaker; commands then fail at once")
    func suspended() async throws {
        let server = try await RedisServer()
        var configuration = try server.configuration()
        (configuration.connectTimeout, configuration.responseTimeout) = (
            .milliseconds(200), .milliseconds(50)
        )
        let client = try NIORedisClient(configuration)
        _ = try await client.send(RedisCommand("PING"))
        server.suspend()
        defer { server.resume() }
        var errors: [RedisError] = []
        for _ in 0..<6 {
            let error = await #expect(throws: RedisError.self) {
                _ = try await client.send(RedisCommand("PING"))
            }
            errors.append(try #require(error))
        }
        #expect(errors.first == .timedOut && errors.last == .circuitOpen)
    }

    @Test("A full server refuses writes, and reads still work")
    func full() async throws {
        let server = try await RedisServer(["--maxmemory", "8mb", "--maxmemory-policy", "noeviction"])
        let tier = RedisTier(client: try server.client(), options: options())
        let small = TierKey(cacheKey: "small")
        try await tier.write(entry(), for: small, lease: nil)
        var written = 0
        while written < 100 {
            let large = TierKey(cacheKey: "large \(written)")
            guard (try? await tier.write(entry(1 << 20), for: large, lease: nil)) != nil else { break }
            written += 1
        }
        #expect((1..<20).contains(written))
        #expect(try await hit(tier, small) != nil)
    }
}

extension RedisServer {
    /// A client that keeps the server running.
    func clientAndServer() throws -> ServerClient { ServerClient(client: try client(), server: self) }
}

struct ServerClient: RedisClient {
    let client: NIORedisClient
    let server: RedisServer

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        try await client.send(command)
    }
}
