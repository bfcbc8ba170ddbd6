import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherSharedCache

/// The tier on six nodes, which `Tests/Fleet/cluster` starts.
///
/// `KINGFISHER_CLUSTER_PORTS` names their ports, `KINGFISHER_CLUSTER_KILL` a command that ends a primary and
/// `KINGFISHER_CLUSTER_MOVE` one that moves slots between two primaries.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["KINGFISHER_CLUSTER_PORTS"] != nil))
struct ClusterServerTests {
    private static let environment = ProcessInfo.processInfo.environment

    private func tier() throws -> RedisTier {
        let ports = (Self.environment["KINGFISHER_CLUSTER_PORTS"] ?? "").split(separator: " ")
        let nodes = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        var configuration = try RedisConfiguration(url: "redis://\(nodes)/?cluster=true", environment: [:])
        (configuration.connectTimeout, configuration.responseTimeout) = (.seconds(2), .seconds(1))
        var options = RedisTierOptions()
        options.earlyRenewal = 0
        return RedisTier(client: try NIORedisClient(configuration), options: options)
    }

    private func run(_ variable: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", try #require(Self.environment[variable])]
        try process.run()
        return process
    }

    private func key(_ number: Int) -> TierKey { TierKey(cacheKey: "image \(number)") }

    private func entry(_ number: Int, tag: String = "kept") -> TierEntry {
        TierEntry(data: Data("file \(number)".utf8), tags: [tag])
    }

    /// Returns how many of 300 entries are found. No entry may be that of another key.
    private func hits(_ tier: RedisTier) async -> Int {
        var hits = 0
        for number in 0..<300 {
            guard case .hit(let found)? = try? await tier.read(key(number)) else { continue }
            #expect(found.data == entry(number).data)
            hits += 1
        }
        return hits
    }

    private func write(_ tier: RedisTier, tag: String = "kept") async -> Int {
        var written = 0
        for number in 0..<300
        where (try? await tier.write(entry(number, tag: tag), for: key(number), lease: nil)) != nil {
            written += 1
        }
        return written
    }

    @Test("Entries spread over all primaries, and leases and tags work on each")
    func spread() async throws {
        let tier = try tier()
        #expect(await write(tier, tag: "invalid") == 300)
        #expect(await hits(tier) == 300)
        try await tier.invalidate(tag: "invalid")
        #expect(await hits(tier) == 0)
        // Without a lease it is not known whether an entry was made before the invalidation.
        #expect(await write(tier, tag: "invalid") == 0)
        for number in 1000..<1030 {
            guard case .absent(let lease?) = try await tier.read(key(number)) else {
                Issue.record("expected a lease")
                continue
            }
            try await tier.write(entry(number, tag: "invalid"), for: key(number), lease: lease)
            guard case .hit = try await tier.read(key(number)) else {
                Issue.record("expected a hit")
                continue
            }
        }
    }

    @Test("While slots move, every read and write succeeds")
    func resharding() async throws {
        let tier = try tier()
        #expect(await write(tier) == 300)
        let mover = try run("KINGFISHER_CLUSTER_MOVE")
        var rounds = 0
        while mover.isRunning, rounds < 1000 {
            #expect(await hits(tier) == 300)
            #expect(await write(tier) == 300)
            rounds += 1
        }
        mover.waitUntilExit()
        #expect(mover.terminationStatus == 0 && rounds > 0)
        #expect(await hits(tier) == 300)
    }

    @Test("After a primary is killed, its replica serves all entries")
    func failover() async throws {
        let tier = try tier()
        #expect(await write(tier) == 300)
        // Replication is asynchronous.
        try await Task.sleep(for: .seconds(1))
        let killer = try run("KINGFISHER_CLUSTER_KILL")
        killer.waitUntilExit()
        #expect(killer.terminationStatus == 0)
        let first = await hits(tier)
        #expect(first < 300)
        let end = ContinuousClock.now + .seconds(60)
        var last = first
        while last < 300, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(200))
            last = await hits(tier)
        }
        #expect(last == 300)
        #expect(await write(tier) == 300)
    }
}
