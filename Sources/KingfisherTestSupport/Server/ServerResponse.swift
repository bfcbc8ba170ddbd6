public import Foundation

/// What the server does to answer a request: a script, played step by step.
///
/// The connection is kept for the next request unless the script ends it. Ready-made answers come as static
/// functions, ways to spoil them as functions that return a changed copy.
public struct ServerResponse: Sendable {
    /// One thing that the server does on the connection.
    public enum Step: Sendable {
        /// Sends bytes as they are.
        case send(Data)
        /// Sends bytes in pieces, with a wait before each.
        case drip(Data, piece: Int, every: Duration)
        /// Waits; ends early when the client closes.
        case pause(Duration)
        /// Waits until a gate opens; ends early when the client closes.
        case hold(ServerGate)
        /// Sends nothing more and waits for the client to close.
        case hang
        /// Closes the connection in order.
        case close
        /// Breaks the connection, so that the client sees "connection reset".
        case reset
    }

    /// What the server does, in order.
    public var steps: [Step]

    /// A script of its own; the functions below make the usual ones.
    public init(_ steps: [Step]) { self.steps = steps }

    // MARK: Honest answers

    /// A complete response with its true length.
    public static func status(
        _ code: Int, headers: [(String, String)] = [], body: Data = Data()
    ) -> ServerResponse {
        ServerResponse([
            .send(head(code, headers: headers + [("Content-Length", "\(body.count)")])), .send(body),
        ])
    }

    /// 200 with a body of its true length.
    public static func ok(_ body: Data, headers: [(String, String)] = []) -> ServerResponse {
        status(200, headers: headers, body: body)
    }

    /// A body that travels compressed; `times` says how often it was.
    public static func gzipped(_ body: Data, times: Int = 1) -> ServerResponse {
        let packed = (0..<times).reduce(body) { data, _ in Gzip.packed(data) }
        let coding = Array(repeating: "gzip", count: times).joined(separator: ", ")
        return ok(packed, headers: [("Content-Encoding", coding)])
    }

    /// A redirect without a body.
    public static func redirect(to location: String, status code: Int = 302) -> ServerResponse {
        status(code, headers: [("Location", location)])
    }

    /// A body of unknown length in chunks.
    public static func chunked(_ chunks: [Data], headers: [(String, String)] = []) -> ServerResponse {
        let fields = headers + [("Transfer-Encoding", "chunked")]
        return ServerResponse(
            [.send(head(200, headers: fields))] + chunks.map { .send(chunk($0)) } + [
                .send(Data("0\r\n\r\n".utf8))
            ])
    }

    // MARK: Broken answers

    /// Sends `body`, but announces another length in the header, in digits or anything else, and then closes.
    public static func lying(_ body: Data, announcing length: String) -> ServerResponse {
        ServerResponse([.send(head(200, headers: [("Content-Length", length)])), .send(body), .close])
    }

    /// Chunks without the last one, then the end.
    public static func truncatedChunks(_ chunks: [Data]) -> ServerResponse {
        var response = chunked(chunks)
        response.steps.removeLast()
        return response.then(.close)
    }

    /// Bytes that need not be HTTP at all, then the end.
    public static func raw(_ text: String) -> ServerResponse {
        ServerResponse([.send(Data(text.utf8)), .close])
    }

    /// Header and body announced and begun, with `step` in place of the rest.
    public static func partial(_ body: Data, of total: Int, then step: Step) -> ServerResponse {
        ServerResponse([.send(head(200, headers: [("Content-Length", "\(total)")])), .send(body), step])
    }

    // MARK: Changed copies

    /// Does one more thing at the end.
    public func then(_ step: Step) -> ServerResponse { ServerResponse(steps + [step]) }

    /// Begins after a time.
    public func delayed(by time: Duration) -> ServerResponse { ServerResponse([.pause(time)] + steps) }

    /// Begins when the gate opens.
    public func held(by gate: ServerGate) -> ServerResponse { ServerResponse([.hold(gate)] + steps) }

    /// Sends everything in small pieces.
    public func dripping(_ piece: Int, every interval: Duration) -> ServerResponse {
        ServerResponse(
            steps.map { step in
                if case .send(let data) = step { return .drip(data, piece: piece, every: interval) }
                return step
            })
    }

    // MARK: Parts, for scripts written by hand

    /// Status line and header fields, with the empty line that ends them.
    public static func head(_ code: Int, headers: [(String, String)] = []) -> Data {
        let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        return Data("HTTP/1.1 \(code) Status\r\n\(fields)\r\n".utf8)
    }

    /// One chunk of a chunked body.
    public static func chunk(_ data: Data) -> Data {
        Data((String(data.count, radix: 16) + "\r\n").utf8) + data + Data("\r\n".utf8)
    }
}
