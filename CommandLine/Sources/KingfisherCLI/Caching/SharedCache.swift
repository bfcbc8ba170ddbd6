import ArgumentParser
import Foundation
import Kingfisher
import KingfisherSharedCache

/// A cache that servers share on Redis or Valkey.
struct SharedCache: Sendable {
    let tier: RedisTier
    private let client: NIORedisClient
    private let console = Console(sources: 0, quiet: true)

    init(url: String, version: String) throws {
        client = try NIORedisClient(RedisConfiguration(url: url))
        var options = RedisTierOptions()
        options.version = version
        tier = RedisTier(client: client, options: options)
    }

    /// Calls `body` with each name and prints what it returns. A failure is reported and does not stop the
    /// others; then the exit status is 1.
    func forEach(
        _ names: [String], kind: String = "source", json: Bool,
        _ body: (String) async throws -> String
    ) async throws {
        var hasFailed = false
        for name in names {
            do {
                let done = try await body(name)
                let shown: JSONLine.Value = kind == "source" ? .source(name) : .text(name)
                if json {
                    console.print(JSONLine([kind: shown, "done": .text(done)]))
                } else {
                    console.print("\(done) \(kind == "source" ? name.withoutUserInfo.escaped : name.escaped)")
                }
            } catch {
                console.report(Self.reason(error), of: name, json: json)
                hasFailed = true
            }
        }
        if hasFailed { throw ExitCode(1) }
    }

    /// Prints a line for each node, and exits with 1 if one cannot be asked.
    func printInformation(json: Bool) async throws {
        let nodes: [NodeAddress]
        do {
            nodes = try await client.primaries()
        } catch {
            console.report(SharedCacheError(error), of: "--shared", json: json)
            throw ExitCode(1)
        }
        var rows = [["node", "engine", "keys", "bytes", "limit", "policy", "evicted", "reply"]]
        var hasFailed = false
        for node in nodes {
            do throws(RedisError) {
                let found = try await client.information(of: node)
                if json { console.print(Self.json(found)) } else { rows.append(Self.row(found)) }
            } catch {
                console.report(SharedCacheError(error), of: "\(node)", json: json)
                hasFailed = true
            }
        }
        if !json, rows.count > 1 { Self.table(rows).forEach { console.print($0) } }
        if hasFailed { throw ExitCode(1) }
    }

    private static func reason(_ error: any Error) -> any Error {
        if case .unavailable(let cause as RedisError)? = error as? TierError {
            SharedCacheError(cause)
        } else {
            error
        }
    }

    private static func json(_ node: RedisNodeInformation) -> JSONLine {
        JSONLine([
            "node": .text("\(node.address)"), "engine": .text(node.engine), "version": .text(node.version),
            "keys": .whole(node.keys), "bytes": .whole(node.usedBytes),
            "limit": node.maximumBytes.map { .whole($0) } ?? .null, "policy": .text(node.evictionPolicy),
            "evicted": .whole(node.evictedKeys), "reply": .seconds(node.responseTime / .seconds(1)),
        ])
    }

    private static func row(_ node: RedisNodeInformation) -> [String] {
        [
            "\(node.address)", "\(node.engine) \(node.version)".escaped, "\(node.keys)", "\(node.usedBytes)",
            node.maximumBytes.map { "\($0)" } ?? "none", node.evictionPolicy.escaped, "\(node.evictedKeys)",
            "\((node.responseTime / .milliseconds(1) * 10).rounded() / 10) ms",
        ]
    }

    private static func table(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}

/// An engine's error in words.
struct SharedCacheError: Error, LocalizedError {
    private let error: RedisError

    init(_ error: RedisError) { self.error = error }

    var errorDescription: String? {
        switch error {
        case .server(let text): "the engine refuses it: \(text)"
        case .unreachable: "the engine cannot be reached"
        case .timedOut, .circuitOpen: "the engine does not reply in time"
        case .malformedReply: "the reply is not that of Redis or Valkey"
        case .unknownNode, .tooManyRedirections: "the engine is not a cluster, or its nodes are not known"
        case .tooManyCommands, .cancelled, .closed: "the command was not sent: \(error)"
        }
    }
}
