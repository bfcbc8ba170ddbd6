import Foundation
public import Kingfisher

/// A cache tier that machines share, on Redis 7, Valkey, or a cluster of either.
///
/// With the package trait `SharedCache`, `RedisTier(url: "rediss://images@cache.example.com:6379")` makes
/// one. Add it to `KingfisherManager.tiers`.
///
/// Among all machines that use the same engine, one makes an image, by a lease; the others wait at most a
/// second or deliver a stale entry. Values that are not intact are misses and are removed. The engine's data
/// must be writable by trusted machines only: checksums detect damage, not forgery.
///
/// Safe from any thread.
public struct RedisTier: CacheTier {
    private let client: any RedisClient
    private let options: RedisTierOptions
    private let policy: LifetimePolicy
    private let generations: TagGenerations
    private let environment: TierEnvironment

    /// Makes a tier on any client.
    public init(client: any RedisClient, options: RedisTierOptions = RedisTierOptions()) {
        self.init(client: client, options: options, environment: TierEnvironment())
    }

    package init(client: any RedisClient, options: RedisTierOptions, environment: TierEnvironment) {
        self.client = client
        self.options = options
        self.environment = environment
        policy = LifetimePolicy(
            maximum: options.maximumLifetime, freshFraction: options.freshFraction,
            earlyRenewal: options.earlyRenewal)
        generations = TagGenerations(
            client: client, version: options.version, memory: options.tagMemory,
            entryLifetime: options.maximumLifetime, environment: environment)
    }

    /// ``RedisTierOptions/name``.
    public var name: String { options.name }

    /// ``RedisTierOptions/keepsOriginals``.
    public var keepsOriginals: Bool { options.keepsOriginals }

    /// ``RedisTierOptions/deadlines``.
    public var deadlines: TierDeadlines { options.deadlines }

    /// The executor of the client.
    public var executor: (any TaskExecutor)? { client.executor }

    /// Reads an entry or a failure, in one round trip if it is fresh and has no tags. If there is none, or a
    /// stale one, asks for its lease.
    ///
    /// A fresh entry has its soft expiration, so that caches above the tier ask for it again while it is
    /// stale, not when it is gone.
    public func read(_ key: TierKey) async throws(TierError) -> TierReading {
        let names = names(key)
        return try await mapErrors { () async throws(RedisError) in
            let found = try await valid(names)
            if let found, !needsRenewal(found) { return reading(found) }
            // An error of the lease must not lose the entry.
            guard let lease = try await found == nil ? lease(names) : try? lease(names) else {
                return found.map { reading($0) } ?? .busy
            }
            // Another machine may have stored an entry and ended its lease since the first look.
            if let newer = try? await valid(names), newer != found {
                await release(lease, for: key)
                return reading(newer)
            }
            return found.map { reading($0, renewal: lease) } ?? .absent(lease)
        }
    }

    /// Stores an entry. Throws `tooLarge` above ``RedisTierOptions/maximumBytes``, and `leaseLost` if the
    /// lease has expired or was removed, or if a tag was invalidated since the lease was given.
    public func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {
        guard entry.data.count <= options.maximumBytes else {
            if let lease { await release(lease, for: key) }
            throw .tooLarge(limit: options.maximumBytes)
        }
        let now = environment.now()
        guard
            let expirations = policy.expirations(
                from: now, latest: entry.expiration, random: random(in: 0...1))
        else {
            if let lease { await release(lease, for: key) }
            return
        }
        let age = lease.map { LeaseToken.age(of: $0, at: now) }
        let start = environment.instant() - (age ?? options.leaseDuration)
        let tags = try await mapErrors { () async throws(RedisError) in
            try await generations.forWriting(entry.tags, begun: start)
        }
        guard let tags else {
            if let lease { await release(lease, for: key) }
            throw .leaseLost
        }
        let envelope = TierEnvelope(
            content: .entry(data: entry.data, checksum: entry.checksum), mediaType: entry.mediaType,
            created: entry.created, softExpiration: expirations.soft, expiration: expirations.hard,
            buildTime: age ?? .zero,
            validators: entry.validators, tags: tags)
        try await store(envelope, key, lease)
    }

    /// Stores a failure until its expiration, or up to a tenth earlier by chance.
    public func writeNegative(
        _ failure: TierFailure, for key: TierKey, lease: TierLease?
    ) async throws(TierError) {
        let now = environment.now()
        guard
            let expirations = policy.expirations(
                from: now, latest: failure.expiration, random: random(in: 0...1))
        else {
            if let lease { await release(lease, for: key) }
            return
        }
        let envelope = TierEnvelope(
            content: .failure(statusCode: failure.statusCode), created: now,
            softExpiration: expirations.hard, expiration: expirations.hard)
        try await store(envelope, key, lease)
    }

    /// Removes the entry of a key. A machine that is making it loses its lease, so that its write is refused.
    public func remove(_ key: TierKey) async throws(TierError) {
        let names = names(key)
        try await mapErrors { () async throws(RedisError) in
            _ = try await client.send(
                RedisCommand("DEL", [.text(names.entry), .text(names.lease)], key: names.entry))
        }
    }

    /// Releases a lease, if the caller still holds it.
    public func release(_ lease: TierLease, for key: TierKey) async {
        // The lease expires if this fails.
        _ = try? await RedisScript.release.run([names(key).lease], [.text(lease.token)], by: client)
    }

    /// Invalidates all entries with a tag: immediately on this machine, on others after at most
    /// ``RedisTierOptions/tagMemory``. An entry that a machine is making at this time is not stored: it may
    /// have been loaded before. Without a lease it is not known when a machine has begun, so that entries
    /// with the tag are stored again after ``RedisTierOptions/leaseDuration``.
    public func invalidate(tag: String) async throws(TierError) {
        try await mapErrors { () async throws(RedisError) in try await generations.invalidate(tag) }
    }
}

extension RedisTier {
    private func random(in range: ClosedRange<Double>) -> Double {
        var generator = environment.generator
        return .random(in: range, using: &generator)
    }

    private func names(_ key: TierKey) -> EntryNames { EntryNames(key, version: options.version) }

    /// The stored envelope, if it is intact, not expired, and no tag was invalidated.
    private func valid(_ names: EntryNames) async throws(RedisError) -> TierEnvelope? {
        let stored: RESPValue
        do throws(RedisError) {
            stored = try await client.send(RedisCommand("GET", [.text(names.entry)], key: names.entry))
        } catch {
            guard error.code == "WRONGTYPE" else { throw error }
            return try await removePoisoned(names)
        }
        guard stored != .null else { return nil }
        guard case .bytes(let data) = stored, let envelope = TierEnvelope(data, for: names.entry) else {
            return try await removePoisoned(names)
        }
        guard envelope.expiration > environment.now(), try await generations.areValid(envelope.tags) else {
            return nil
        }
        return envelope
    }

    /// Awaited before a lease is given, because a later removal would remove the new entry.
    private func removePoisoned(_ names: EntryNames) async throws(RedisError) -> TierEnvelope? {
        _ = try await client.send(RedisCommand("DEL", [.text(names.entry)], key: names.entry))
        return nil
    }

    private func needsRenewal(_ envelope: TierEnvelope) -> Bool {
        guard case .entry = envelope.content else { return false }
        let random = random(in: Double.leastNonzeroMagnitude...1)
        return policy.shouldRenew(envelope, at: environment.now(), random: random)
    }

    private func reading(_ envelope: TierEnvelope, renewal: TierLease? = nil) -> TierReading {
        switch envelope.content {
        case .failure(let status):
            return .negative(TierFailure(statusCode: status, expiration: envelope.expiration))
        case .entry(let data, let checksum):
            let isFresh = renewal == nil && environment.now() < envelope.softExpiration
            let entry = TierEntry(
                data: data, checksum: checksum, mediaType: envelope.mediaType, created: envelope.created,
                expiration: isFresh ? envelope.softExpiration : envelope.expiration,
                validators: envelope.validators, tags: envelope.tags.map(\.name))
            return isFresh ? .hit(entry) : .stale(entry, renewal: renewal)
        }
    }

    private func lease(_ names: EntryNames) async throws(RedisError) -> TierLease? {
        let lease = LeaseToken.make(at: environment.now(), environment.generator)
        let reply = try await client.send(
            RedisCommand(
                "SET",
                [
                    .text(names.lease), .text(lease.token), "NX", "PX",
                    .integer(max(1, options.leaseDuration.wholeMilliseconds)),
                ], key: names.lease))
        return reply == .null ? nil : lease
    }

    private func store(
        _ envelope: TierEnvelope, _ key: TierKey, _ lease: TierLease?
    ) async throws(TierError) {
        let names = names(key)
        guard let encoded = envelope.encoded(for: names.entry) else {
            if let lease { await release(lease, for: key) }
            throw .tooLarge(limit: TierEnvelope.maximumHeader)
        }
        let lifetime = Int64((envelope.expiration.timeIntervalSince(environment.now()) * 1000).rounded(.up))
        let value = RedisCommand.Argument.data(encoded), milliseconds = max(1, lifetime)
        let isStored = try await mapErrors { () async throws(RedisError) in
            guard let lease else {
                let arguments = [.text(names.entry), value, "PX", .integer(milliseconds)]
                return try await client.send(RedisCommand("SET", arguments, key: names.entry)) != .null
            }
            let reply = try await RedisScript.writeWithLease.run(
                [names.entry, names.lease], [.text(lease.token), value, .integer(milliseconds)], by: client)
            return reply == .integer(1)
        }
        guard isStored else { throw .leaseLost }
    }

    private func mapErrors<Value>(
        _ work: () async throws(RedisError) -> Value
    ) async throws(TierError) -> Value {
        do throws(RedisError) {
            return try await work()
        } catch .cancelled {
            throw .cancelled
        } catch {
            throw .unavailable(error)
        }
    }
}

/// Tokens of leases: the time at which the lease was given, for measuring how long an entry takes to make,
/// and a random number.
enum LeaseToken {
    /// Older leases count as this old.
    static let maximumAge = Duration.seconds(600)

    static func make(at now: Date, _ generator: TierEnvironment.Generator) -> TierLease {
        let time = Int64((now.timeIntervalSince1970 * 1000).rounded())
        return TierLease(
            token:
                "\(time)-\(String(generator.next(), radix: 16))-\(UInt32(truncatingIfNeeded: generator.next()))"
        )
    }

    static func age(of lease: TierLease, at now: Date) -> Duration {
        guard let start = lease.token.split(separator: "-").first.flatMap({ Int64($0) }) else { return .zero }
        let age = now.timeIntervalSince1970 - Double(start) / 1000
        return min(.seconds(min(max(0, age), 1e6)), maximumAge)
    }
}
