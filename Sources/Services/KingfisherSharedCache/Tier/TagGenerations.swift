import Kingfisher
import Synchronization

/// The generations of tags: an entry is valid while the generation of each of its tags is the one that was
/// stored with it.
///
/// A generation is a random number, so that one that the engine has evicted never returns. Reads use a
/// generation for a short time before they ask again. Safe from any thread.
final class TagGenerations: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Known: Sendable {
        let generation: Int64?
        let time: Instant
    }

    private static let maximumKnown = 10_000
    /// How long an invalidation is noted in addition to the new generation.
    private static let notedFor = LeaseToken.maximumAge + .seconds(60)
    /// The precision with which the time of an invalidation is known.
    private static let precision = Duration.milliseconds(50)

    private let client: any RedisClient
    private let version: String
    /// How long reads use a generation.
    private let memory: Duration
    /// At least twice as long as an entry lives, in milliseconds.
    private let lifetime: Int64
    private let environment: TierEnvironment
    private let known = Mutex<[String: Known]>([:])

    init(
        client: any RedisClient, version: String, memory: Duration, entryLifetime: Duration,
        environment: TierEnvironment
    ) {
        self.environment = environment
        self.client = client
        self.version = version
        self.memory = memory
        lifetime = max(1, 2 * entryLifetime.wholeMilliseconds)
    }

    /// The generations to store with an entry. Missing ones are made.
    ///
    /// - Parameter start: When the machine has begun to make the entry. If a tag was invalidated since, the
    ///   result is nil.
    func forWriting(
        _ tags: [String], begun start: Instant
    ) async throws(RedisError) -> [TierEnvelope.Tag]? {
        var generations: [TierEnvelope.Tag] = []
        for tag in Set(tags).sorted() {
            let reply = try await RedisScript.generation.run(
                [name(tag)], [.integer(newGeneration()), .integer(lifetime)], by: client)
            guard let generation = reply.string.flatMap(Int64.init) else {
                throw .malformedReply("generation")
            }
            remember(generation, of: tag)
            // After the generation: an invalidation is noted before it changes the generation.
            if try await wasInvalidated(tag, since: start - Self.precision) { return nil }
            generations.append(TierEnvelope.Tag(name: tag, generation: generation))
        }
        return generations
    }

    /// The remaining life of the note tells how long ago it was made, without comparing clocks of machines.
    private func wasInvalidated(_ tag: String, since start: Instant) async throws(RedisError) -> Bool {
        let name = noteName(tag)
        let reply = try await client.send(RedisCommand("PTTL", [.text(name)], key: name))
        guard case .integer(let rest) = reply else { throw .malformedReply("PTTL") }
        // The clock is read after the reply, whose delay must not make the invalidation look older.
        return rest > 0 && Self.notedFor - .milliseconds(rest) <= environment.instant() - start
    }

    /// Whether no tag was invalidated since it was stored.
    func areValid(_ tags: [TierEnvelope.Tag]) async throws(RedisError) -> Bool {
        for tag in tags {
            guard try await current(tag.name) == tag.generation else { return false }
        }
        return true
    }

    /// Makes all entries with the tag invalid.
    func invalidate(_ tag: String) async throws(RedisError) {
        let generation = newGeneration()
        try await set(noteName(tag), to: 1, lifetime: Self.notedFor.wholeMilliseconds)
        try await set(name(tag), to: generation, lifetime: lifetime)
        remember(generation, of: tag)
    }

    private func set(_ name: String, to number: Int64, lifetime: Int64) async throws(RedisError) {
        _ = try await client.send(
            RedisCommand("SET", [.text(name), .integer(number), "PX", .integer(lifetime)], key: name))
    }

    private func current(_ tag: String) async throws(RedisError) -> Int64? {
        let now = environment.instant()
        if let known = known.withLock({ $0[tag] }), now - known.time < memory { return known.generation }
        let name = name(tag)
        let reply = try await client.send(RedisCommand("GET", [.text(name)], key: name))
        let generation = reply.string.flatMap(Int64.init)
        remember(generation, of: tag)
        return generation
    }

    private func remember(_ generation: Int64?, of tag: String) {
        let now = environment.instant()
        known.withLock { known in
            if known.count >= Self.maximumKnown, known[tag] == nil { known.removeAll() }
            known[tag] = Known(generation: generation, time: now)
        }
    }

    private func newGeneration() -> Int64 {
        var generator = environment.generator
        return .random(in: 1 ... .max, using: &generator)
    }

    private func name(_ tag: String) -> String { EntryNames.generation(ofTag: tag, version: version) }

    private func noteName(_ tag: String) -> String { "\(name(tag)):i" }
}
