public import Foundation

/// The response of an ``AttackOrigin`` to a request.
public enum AttackResponse: Sendable {
    /// 200 with the pieces as one body, as fast as the client reads. Many responses may share the pieces.
    case body([Data])
    /// The same in chunks, one per piece, so that the length is unknown in advance.
    case chunked([Data])
    /// A body of a plausible length that arrives one byte per `interval`.
    case dripping(every: Duration)
    /// An endless sequence of one-byte chunks, as fast as the client reads.
    case chunkFlood
    /// No response on an open connection.
    case silent
    /// A status line and header fields, then no more data.
    case silentAfterHead
    /// 404 without a body.
    case missing

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

    var endless: Data? { if case .chunkFlood = self { Self.oneByteChunks } else { nil } }

    var interval: Duration? { if case .dripping(let interval) = self { interval } else { nil } }

    var isComplete: Bool {
        switch self {
        case .body, .chunked, .missing: true
        case .dripping, .chunkFlood, .silent, .silentAfterHead: false
        }
    }

    private static let oneByteChunks = Data(repeatElement(Array("1\r\nx\r\n".utf8), count: 32 << 10).joined())
}

extension ServerResponse {
    fileprivate var sentData: [Data] {
        steps.compactMap { step in if case .send(let data) = step { data } else { nil } }
    }
}
