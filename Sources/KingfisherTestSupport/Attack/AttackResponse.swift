public import Foundation

/// What an ``AttackOrigin`` does with a request.
public enum AttackResponse: Sendable {
    /// 200 with the pieces as one body, as fast as the client reads. Pieces may be shared by many responses.
    case body([Data])
    /// The same in chunks, a piece each, so that the length is not known before its end.
    case chunked([Data])
    /// A body of a plausible length of which one byte arrives each `interval`.
    case dripping(every: Duration)
    /// Chunks of one byte, without end, as fast as the client reads.
    case chunkFlood
    /// Nothing, on an open connection.
    case silent
    /// A status line and header fields, then nothing.
    case silentAfterHead
    /// 404 without a body.
    case missing

    /// The bytes that are sent at once.
    var pieces: [Data] {
        switch self {
        case .body(let pieces):
            let count = pieces.reduce(0) { $0 + $1.count }
            return [ServerResponse.head(200, headers: [("Content-Length", "\(count)")])] + pieces
        case .chunked(let pieces): return ServerResponse.chunked(pieces.filter { !$0.isEmpty }).sentData
        case .dripping, .silentAfterHead:
            return [ServerResponse.head(200, headers: [("Content-Length", "1000000")])]
        case .chunkFlood: return [ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")])]
        case .silent: return []
        case .missing: return [ServerResponse.head(404, headers: [("Content-Length", "0")])]
        }
    }

    /// What follows again and again, as fast as the client reads.
    var endless: Data? { if case .chunkFlood = self { Self.oneByteChunks } else { nil } }

    /// How often a byte follows.
    var interval: Duration? { if case .dripping(let interval) = self { interval } else { nil } }

    /// Whether the client may send another request afterwards.
    var isComplete: Bool {
        switch self {
        case .body, .chunked, .missing: true
        case .dripping, .chunkFlood, .silent, .silentAfterHead: false
        }
    }

    private static let oneByteChunks = Data(repeatElement(Array("1\r\nx\r\n".utf8), count: 32 << 10).joined())
}

extension ServerResponse {
    /// What the script sends, in order.
    fileprivate var sentData: [Data] {
        steps.compactMap { step in if case .send(let data) = step { data } else { nil } }
    }
}
