import Foundation
import Synchronization

@testable import KingfisherSharedCache

/// An engine in memory with the commands that the tier uses, and a clock that tests move.
final class MemoryEngine: RedisClient {
    struct State: Sendable {
        var now = Date(timeIntervalSince1970: 1_000_000)
        var values: [String: (value: RESPValue, expiration: Date)] = [:]
        var scripts: Set<String> = []
        var failure: RedisError?
        var commands: [RedisCommand] = []
    }

    let state = Mutex(State())

    var now: Date { state.withLock(\.now) }

    var names: [String] { state.withLock { $0.commands.map(\.name) } }

    var keys: [String] { state.withLock { $0.values.keys.sorted() } }

    func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    func fail(_ error: RedisError?) { state.withLock { $0.failure = error } }

    func set(_ key: String, _ value: RESPValue) {
        state.withLock { $0.values[key] = (value, .distantFuture) }
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let result = state.withLock { state -> Result<RESPValue, RedisError> in
            state.commands.append(command)
            if let failure = state.failure { return .failure(failure) }
            return state.run(command.name, command.arguments.map(\.value))
        }
        return try result.get()
    }
}

extension RedisCommand.Argument {
    fileprivate var value: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        case .integer(let number): Data(String(number).utf8)
        }
    }
}

extension MemoryEngine.State {
    private func get(_ key: Data) -> RESPValue? {
        values[key.text].flatMap { $0.expiration > now ? $0.value : nil }
    }

    private mutating func set(_ key: Data, _ value: Data, _ milliseconds: Data) {
        let lifetime = (Double(milliseconds.text) ?? 0) / 1000
        values[key.text] = (.bytes(value), now.addingTimeInterval(lifetime))
    }

    mutating func run(_ name: String, _ words: [Data]) -> Result<RESPValue, RedisError> {
        switch name {
        case "GET":
            guard let value = get(words[0]) else { return .success(.null) }
            if case .array = value { return .failure(.server("WRONGTYPE Operation against a key")) }
            return .success(value)
        case "SET":
            if words.contains(Data("NX".utf8)), get(words[0]) != nil { return .success(.null) }
            set(words[0], words[1], words[words.count - 1])
            return .success(.text("OK"))
        case "PTTL":
            guard let found = values[words[0].text], found.expiration > now else {
                return .success(.integer(-2))
            }
            return .success(.integer(Int64(found.expiration.timeIntervalSince(now) * 1000)))
        case "DEL":
            for key in words { values[key.text] = nil }
            return .success(.integer(Int64(words.count)))
        case "EVAL":
            let known = [RedisScript.writeWithLease, .release, .generation]
            guard let script = known.first(where: { $0.source == words[0].text }) else {
                return .failure(.server("ERR"))
            }
            scripts.insert(script.digest)
            return .success(evaluate(script.digest, words))
        case "EVALSHA":
            guard scripts.contains(words[0].text) else { return .failure(.server("NOSCRIPT No matching")) }
            return .success(evaluate(words[0].text, words))
        default: return .failure(.server("ERR unknown command"))
        }
    }

    private mutating func evaluate(_ digest: String, _ words: [Data]) -> RESPValue {
        switch digest {
        case RedisScript.writeWithLease.digest:
            guard get(words[3]) == .bytes(words[4]) else { return .integer(0) }
            set(words[2], words[5], words[6])
            values[words[3].text] = nil
            return .integer(1)
        case RedisScript.release.digest:
            guard get(words[2]) == .bytes(words[3]) else { return .integer(0) }
            values[words[2].text] = nil
            return .integer(1)
        default:
            if let generation = get(words[2]) { return generation }
            set(words[2], words[3], words[4])
            return .bytes(words[3])
        }
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
