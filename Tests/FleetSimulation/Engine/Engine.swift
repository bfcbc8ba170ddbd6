import Foundation
import KingfisherStorage
package import KingfisherSharedCache

/// The data of one node of Redis or Valkey, with the commands that `RedisTier` uses. A value; the time is
/// passed in.
///
/// `EngineConformanceTests` of Tests/SharedCacheServer compares its replies with those of a redis-server.
/// Differences: eviction takes the least recently used value, where Redis takes the oldest of five samples;
/// expired values are removed when they are read or overwritten, and count as memory until then.
package struct Engine: Sendable {
    private struct Stored: Sendable {
        let bytes: Data
        /// Milliseconds; `Int64.max` for never.
        let expiration: Int64
    }

    /// The memory of a value, with its key. Measured with redis-server 7.0 and keys of 70 bytes: 234 bytes
    /// more than the value at 300 bytes, and 2 % more at 20 KB, 4 % at 28 KB, 15 % at 100 KB, 5 % at 1 MB.
    static func memory(ofValue bytes: Int) -> Int { 240 + bytes + bytes / 20 }

    private var values: BoundedStore<String, Stored>
    private var scripts: Set<String> = []
    private let evicts: Bool

    /// - Parameters:
    ///   - memory: The limit in bytes.
    ///   - evicts: Whether the least recently used values make room for new ones, which otherwise are
    ///     refused.
    package init(memory: Int, evicts: Bool = true) {
        values = BoundedStore(limit: memory, policy: .leastRecentlyUsed)
        self.evicts = evicts
    }

    package var memory: Int { values.totalCost }

    package var count: Int { values.count }

    package var evictions: Int { values.evictions }

    /// Cuts the last byte of all entries.
    mutating func truncateEntries() {
        for key in entries {
            if let stored = values.peek(key) { replace(key, stored.bytes.dropLast(), stored.expiration) }
        }
    }

    /// The names of entries end in a brace.
    private var entries: [String] { values.keys.filter { $0.hasSuffix("}") }.sorted() }

    private mutating func replace(_ key: String, _ bytes: Data, _ expiration: Int64) {
        let cost = Self.memory(ofValue: ModelledFile.wireBytes(bytes))
        values.store(Stored(bytes: Data(bytes), expiration: expiration), cost: cost, for: key)
    }

    /// Runs a command as one step. Errors are `.error`.
    package mutating func run(_ command: RedisCommand, at milliseconds: Int64) -> RESPValue {
        let words = command.arguments.map(\.bytes)
        let needed = ["GET": 1, "PTTL": 1, "SET": 2, "DEL": 1, "EVAL": 2, "EVALSHA": 2]
        guard let count = needed[command.name] else {
            return .error("ERR unknown command '\(command.name)'")
        }
        guard words.count >= count else {
            return .error("ERR wrong number of arguments for '\(command.name.lowercased())' command")
        }
        switch command.name {
        case "GET": return get(words[0].text, milliseconds).map { .bytes($0) } ?? .null
        case "PTTL": return .integer(lifetime(words[0].text, milliseconds))
        case "SET": return set(words, milliseconds)
        case "DEL": return .integer(Int64(words.count { delete($0.text, milliseconds) }))
        default: return evaluate(command.name, words, milliseconds)
        }
    }

    private mutating func get(_ key: String, _ now: Int64) -> Data? {
        guard let stored = values.peek(key) else { return nil }
        guard now <= stored.expiration else {
            values.remove(key)
            return nil
        }
        return values.value(key)?.bytes
    }

    private mutating func lifetime(_ key: String, _ now: Int64) -> Int64 {
        guard let stored = values.peek(key), now <= stored.expiration else { return -2 }
        return stored.expiration == .max ? -1 : stored.expiration - now
    }

    private mutating func delete(_ key: String, _ now: Int64) -> Bool {
        let exists = get(key, now) != nil
        values.remove(key)
        return exists
    }

    private mutating func set(_ words: [Data], _ now: Int64) -> RESPValue {
        let key = words[0].text
        var lifetime: Int64?
        var rest = words[2...]
        while let option = rest.popFirst()?.text {
            switch option {
            case "NX": if get(key, now) != nil { return .null }
            case "PX":
                guard let value = rest.popFirst().flatMap({ Int64($0.text) }), value > 0 else {
                    return .error("ERR invalid expire time in 'set' command")
                }
                lifetime = value
            default: return .error("ERR syntax error")
            }
        }
        return store(words[1], key, lifetime, now)
    }

    private mutating func store(_ bytes: Data, _ key: String, _ lifetime: Int64?, _ now: Int64) -> RESPValue {
        let cost = Self.memory(ofValue: ModelledFile.wireBytes(bytes))
        let stored = Stored(bytes: bytes, expiration: lifetime.map { now + $0 } ?? .max)
        let fits = evicts || values.totalCost - values.cost(of: key) + cost <= values.limit
        guard fits, values.store(stored, cost: cost, for: key) else {
            return .error("OOM command not allowed when used memory > 'maxmemory'.")
        }
        return .text("OK")
    }
}

// MARK: Scripts

extension Engine {
    private mutating func evaluate(_ name: String, _ words: [Data], _ now: Int64) -> RESPValue {
        let known = [RedisScript.writeWithLease, .release, .generation]
        let isText = name == "EVAL"
        guard
            let script = known.first(where: { (isText ? $0.source : $0.digest) == words[0].text }),
            isText || scripts.contains(script.digest)
        else { return .error(isText ? "ERR unknown script" : "NOSCRIPT No matching script.") }
        scripts.insert(script.digest)
        let rest = Array(words.dropFirst(2))
        switch script.digest {
        case RedisScript.writeWithLease.digest: return writeWithLease(rest, now)
        case RedisScript.release.digest: return release(rest, now)
        default: return generation(rest, now)
        }
    }

    private mutating func writeWithLease(_ words: [Data], _ now: Int64) -> RESPValue {
        guard words.count == 5, let lifetime = Int64(words[4].text) else { return .error("ERR script") }
        guard get(words[1].text, now) == words[2] else { return .integer(0) }
        let reply = store(words[3], words[0].text, lifetime, now)
        if case .error = reply { return reply }
        values.remove(words[1].text)
        return .integer(1)
    }

    private mutating func release(_ words: [Data], _ now: Int64) -> RESPValue {
        guard words.count == 2, get(words[0].text, now) == words[1] else { return .integer(0) }
        return .integer(delete(words[0].text, now) ? 1 : 0)
    }

    private mutating func generation(_ words: [Data], _ now: Int64) -> RESPValue {
        guard words.count == 3, let lifetime = Int64(words[2].text) else { return .error("ERR script") }
        let bytes = get(words[0].text, now) ?? words[1]
        let reply = store(bytes, words[0].text, lifetime, now)
        if case .error = reply { return reply }
        return .bytes(bytes)
    }
}

extension RedisCommand.Argument {
    var bytes: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        case .integer(let number): Data(String(number).utf8)
        }
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
