public import Kingfisher

/// What a ``RedisTier`` needs of a client for Redis or Valkey: to send one command and return its reply.
///
/// `NIORedisClient`, with the package trait `SharedCache`, is one. To use another client, conform its
/// connection pool to this protocol. A client may be used concurrently, from any thread. It bounds how many
/// commands wait, and ends a wait when the current task is cancelled.
public protocol RedisClient: Sendable {
    /// Sends a command to the node of its key, and returns the reply. Error replies are thrown as
    /// ``RedisError/server(_:)``.
    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue

    /// The executor on which ``RedisTier`` prefers to run, such as the thread that reads the replies; nil, by
    /// default, for the global one.
    var executor: (any TaskExecutor)? { get }
}

extension RedisClient {
    public var executor: (any TaskExecutor)? { nil }
}

/// Why a command has no reply.
public enum RedisError: Error, Sendable, Hashable {
    /// The server's error, such as `WRONGTYPE Operation against a key …`.
    case server(String)
    /// The node cannot be reached, or has closed the connection.
    case unreachable(String)
    /// The bytes of the server are not RESP3, or exceed a limit.
    case malformedReply(String)
    /// The node did not reply in time.
    case timedOut
    /// The node has failed repeatedly, and is not asked for some seconds.
    case circuitOpen
    /// As many commands wait for the node as the limit allows.
    case tooManyCommands
    /// The nodes of the cluster have redirected a command more than five times.
    case tooManyRedirections
    /// No node of the cluster is known for the key.
    case unknownNode
    /// The current task was cancelled.
    case cancelled
    /// The client is closed.
    case closed
}

extension RedisError {
    /// The first word of a server's error, such as `NOSCRIPT`.
    var code: Substring? {
        guard case .server(let text) = self else { return nil }
        return text.prefix { $0 != " " }
    }
}

extension RedisError: TierEngineError {
    /// The codes of servers that are names in events. Others are not, because a server may send any text.
    private static let knownCodes: Set<Substring> = [
        "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOAUTH", "NOPERM", "OOM", "READONLY", "TRYAGAIN",
        "WRONGPASS",
    ]

    /// The name of the case, for a server's error with its code: `server.OOM`.
    public var eventName: String {
        switch self {
        case .server: code.flatMap { Self.knownCodes.contains($0) ? "server.\($0)" : nil } ?? "server"
        case .unreachable: "unreachable"
        case .malformedReply: "malformedReply"
        case .timedOut: "timedOut"
        case .circuitOpen: "circuitOpen"
        case .tooManyCommands: "tooManyCommands"
        case .tooManyRedirections: "tooManyRedirections"
        case .unknownNode: "unknownNode"
        case .cancelled: "cancelled"
        case .closed: "closed"
        }
    }
}
