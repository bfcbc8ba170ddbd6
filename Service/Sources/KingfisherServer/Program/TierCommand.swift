#if SharedCache
    import Kingfisher
    import KingfisherService
    import KingfisherSharedCache

    /// The commands `tier info`, `tier remove URL...` and `tier invalidate TAG...` of the program.
    struct TierCommand {
        static let usage = "kingfisher-server tier info | remove URL... | invalidate TAG... [--shared URL]"

        let settings: ServerSettings
        let print: @Sendable (String) -> Void
        let printError: @Sendable (String) -> Void

        /// Returns the exit status. A failure is printed and does not stop the others.
        func run(_ arguments: [String]) async -> Int32 {
            guard let url = settings.caches.shared else {
                printError("kingfisher-server: tier needs the setting shared")
                return 2
            }
            do {
                let client = try NIORedisClient(RedisConfiguration(url: url))
                let names = Array(arguments.dropFirst())
                switch arguments.first {
                case "info" where names.isEmpty: return await printInformation(client)
                case "remove" where !names.isEmpty:
                    return await invalidate(names, in: client) { try tag(ofURL: $0) }
                case "invalidate" where !names.isEmpty: return await invalidate(names, in: client) { $0 }
                default:
                    printError("usage: \(Self.usage)")
                    return 2
                }
            } catch {
                printError("kingfisher-server: the URL of the shared cache is not valid")
                return 2
            }
        }

        private func tag(ofURL text: String) throws -> String {
            let source = try settings.urls.sources.source(named: text)
            guard let tag = source.cacheTag else { throw ServiceError(400, "An upload is not stored.") }
            return tag
        }

        private func invalidate(
            _ names: [String], in client: NIORedisClient, tag: (String) throws -> String
        ) async -> Int32 {
            let tier = RedisTier(client: client)
            var status: Int32 = 0
            for name in names {
                do {
                    try await tier.invalidate(tag: try tag(name))
                    print("invalidated \(name)")
                } catch let error as ServiceError {
                    (status, _) = (1, printError("\(name): \(error.message)"))
                } catch {
                    (status, _) = (1, printError("\(name): \(Self.text(of: error))"))
                }
            }
            return status
        }

        private func printInformation(_ client: NIORedisClient) async -> Int32 {
            do throws(RedisError) {
                var rows = [["node", "engine", "keys", "bytes", "limit", "policy", "evicted", "reply"]]
                for node in try await client.primaries() {
                    rows.append(Self.row(try await client.information(of: node)))
                }
                Self.table(rows).forEach { print($0) }
                return 0
            } catch {
                printError("kingfisher-server: \(Self.text(of: error))")
                return 1
            }
        }

        private static func row(_ node: RedisNodeInformation) -> [String] {
            [
                "\(node.address)", "\(node.engine) \(node.version)", "\(node.keys)", "\(node.usedBytes)",
                node.maximumBytes.map { "\($0)" } ?? "none", node.evictionPolicy, "\(node.evictedKeys)",
                "\((node.responseTime / .milliseconds(1) * 10).rounded() / 10) ms",
            ]
        }

        private static func table(_ rows: [[String]]) -> [String] {
            let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
            return rows.map { row in
                zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(
                    separator: "  ")
            }
        }

        private static func text(of error: any Error) -> String {
            if case .unavailable(let cause as RedisError)? = error as? TierError { return text(of: cause) }
            return switch error as? RedisError {
            case .server(let text): "the engine refuses it: \(text.filter { !$0.isNewline })"
            case .unreachable: "the engine cannot be reached"
            case .timedOut, .circuitOpen: "the engine does not reply in time"
            case .malformedReply: "the reply is not one of Redis or Valkey"
            case .unknownNode, .tooManyRedirections: "the engine is not a cluster, or its nodes are not known"
            case .tooManyCommands, .cancelled, .closed, nil: "the command was not sent"
            }
        }
    }
#endif
