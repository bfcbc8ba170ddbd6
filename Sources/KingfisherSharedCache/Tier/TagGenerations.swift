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
    func forWriting(_ tags: [String]) async throws(RedisError) -> [TierEnvelope.Tag] {
        var generations: [TierEnvelope.Tag] = []
        for tag in Set(tags).sorted() {
            let reply = try await RedisScript.generation.run(
                [name(tag)], [.integer(newGeneration()), .integer(lifetime)], by: client)
            guard let generation = reply.string.flatMap(Int64.init) else {
                throw .malformedReply("generation")
            }
            remember(generation, of: tag)
            generations.append(TierEnvelope.Tag(name: tag, generation: generation))
        }
        return generations
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
        let name = name(tag)
        _ = try await client.send(
            RedisCommand(
                "SET", [.text(name), .integer(generation), "PX", .integer(lifetime)], key: name))
        remember(generation, of: tag)
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
}
