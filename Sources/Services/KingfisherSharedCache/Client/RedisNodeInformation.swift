/// What a node says about itself.
public struct RedisNodeInformation: Sendable, Hashable {
    /// The node.
    public let address: NodeAddress
    /// `redis` or `valkey`.
    public let engine: String
    /// The version of the engine, such as `7.0.15`.
    public let version: String
    /// The number of keys, which are entries, leases and generations of tags.
    public let keys: Int
    /// The memory in use, in bytes.
    public let usedBytes: Int
    /// The limit of memory in bytes; nil without a limit.
    public let maximumBytes: Int?
    /// What the engine does at the limit, such as `allkeys-lru`.
    public let evictionPolicy: String
    /// The number of keys that were removed at the limit.
    public let evictedKeys: Int
    /// How long the reply took, including the connection if there was none.
    public let responseTime: Duration

    /// The longest text that is read, in bytes. Servers send about 4 KiB.
    private static let maximumText = 1 << 16

    /// Reads the reply to `INFO`: lines `name:value`; nil if it lacks a version or the memory.
    init?(_ reply: RESPValue, of address: NodeAddress, after responseTime: Duration) {
        guard let text = reply.string, text.utf8.count <= Self.maximumText else { return nil }
        var values: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        func number(_ name: Substring) -> Int? { values[name].flatMap { Int($0) } }
        guard let version = values["valkey_version"] ?? values["redis_version"],
            let usedBytes = number("used_memory")
        else { return nil }
        self.address = address
        engine = values["valkey_version"] == nil ? "redis" : "valkey"
        self.version = String(version)
        // `db0:keys=3,expires=3,avg_ttl=0`; without keys there is no such line.
        let first = values["db0"]?.split(separator: ",").first { $0.hasPrefix("keys=") }
        keys = first.flatMap { Int($0.dropFirst(5)) } ?? 0
        self.usedBytes = usedBytes
        maximumBytes = number("maxmemory").flatMap { $0 > 0 ? $0 : nil }
        evictionPolicy = values["maxmemory_policy"].map(String.init) ?? "unknown"
        evictedKeys = number("evicted_keys") ?? 0
        self.responseTime = responseTime
    }
}
