/// A Lua script that the engine runs as one step.
package struct RedisScript: Sendable {
    package let source: String
    /// The SHA-1 of the source, by which the engine knows the script.
    package let digest: String

    /// Stores an entry and removes the lease, if the caller still holds the lease.
    package static let writeWithLease = RedisScript(
        source: """
            if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
            redis.call('DEL', KEYS[2])
            return 1
            """,
        digest: "cf691de9df6088d9cbd7af954fb4149bc76342a0")

    /// Removes a lease, if the caller still holds it.
    package static let release = RedisScript(
        source: """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """,
        digest: "708b61c8defb6a8962235c40975ef70c7ff1a0e0")

    /// Returns the generation of a tag, which it sets if there is none, and renews its time to live.
    package static let generation = RedisScript(
        source: """
            local generation = redis.call('GET', KEYS[1])
            if generation then
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
                return generation
            end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            return ARGV[1]
            """,
        digest: "50ac186005006cf241053af6ebb49a07feb5cbe1")

    /// Runs the script, and sends its source if the node does not know it.
    ///
    /// - Parameter keys: Keys of one hash slot.
    func run(
        _ keys: [String], _ arguments: [RedisCommand.Argument], by client: any RedisClient
    ) async throws(RedisError) -> RESPValue {
        let rest = [.integer(Int64(keys.count))] + keys.map { .text($0) } + arguments
        do throws(RedisError) {
            return try await client.send(RedisCommand("EVALSHA", [.text(digest)] + rest, key: keys.first))
        } catch {
            guard error.code == "NOSCRIPT" else { throw error }
            return try await client.send(RedisCommand("EVAL", [.text(source)] + rest, key: keys.first))
        }
    }
}
