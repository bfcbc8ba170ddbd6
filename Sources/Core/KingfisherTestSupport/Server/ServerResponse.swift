public import Foundation

/// The server's response to a request: a script of steps.
///
/// The connection is reused for the next request unless the script ends it. Static functions create common
/// responses, and instance functions return changed copies.
public struct ServerResponse: Sendable {
    /// One action of the server on the connection.
    public enum Step: Sendable {
        /// Sends bytes unchanged.
        case send(Data)
        /// Sends bytes in pieces, with a wait before each.
        case drip(Data, piece: Int, every: Duration)
        /// Waits; ends early if the client closes.
        case pause(Duration)
        /// Waits until a gate opens; ends early if the client closes.
        case hold(ServerGate)
        /// Sends nothing and waits for the client to close.
        case hang
        /// Closes the connection regularly.
        case close
        /// Resets the connection, so that the client gets "connection reset".
        case reset
    }

    /// The actions of the server, in order.
    public var steps: [Step]

    /// Creates a custom script. The functions below create common ones.
    public init(_ steps: [Step]) { self.steps = steps }

    // MARK: Valid responses

    /// A complete response with its correct length.
    public static func status(
        _ code: Int, headers: [(String, String)] = [], body: Data = Data()
    ) -> ServerResponse {
        ServerResponse([
            .send(head(code, headers: headers + [("Content-Length", "\(body.count)")])), .send(body),
        ])
    }

    /// 200 with a body and its correct length.
    public static func ok(_ body: Data, headers: [(String, String)] = []) -> ServerResponse {
        status(200, headers: headers, body: body)
    }

    /// 200 with a body that is compressed `times` times.
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

    // MARK: Malformed responses

    /// Sends `body` with another text as its `Content-Length`, then closes.
    public static func lying(_ body: Data, announcing length: String) -> ServerResponse {
        ServerResponse([.send(head(200, headers: [("Content-Length", length)])), .send(body), .close])
    }

    /// Chunks without the last chunk, then closes.
    public static func truncatedChunks(_ chunks: [Data]) -> ServerResponse {
        var response = chunked(chunks)
        response.steps.removeLast()
        return response.then(.close)
    }

    /// Text that need not be HTTP, then closes.
    public static func raw(_ text: String) -> ServerResponse {
        ServerResponse([.send(Data(text.utf8)), .close])
    }

    /// Sends a head with the length `total` and `body` as the first part, then performs `step`.
    public static func partial(_ body: Data, of total: Int, then step: Step) -> ServerResponse {
        ServerResponse([.send(head(200, headers: [("Content-Length", "\(total)")])), .send(body), step])
    }

    // MARK: Changed copies

    /// Adds a step at the end.
    public func then(_ step: Step) -> ServerResponse { ServerResponse(steps + [step]) }

    /// Waits for a time before the first step.
    public func delayed(by time: Duration) -> ServerResponse { ServerResponse([.pause(time)] + steps) }

    /// Waits for the gate before the first step.
    public func held(by gate: ServerGate) -> ServerResponse { ServerResponse([.hold(gate)] + steps) }

    /// Sends everything in small pieces.
    public func dripping(_ piece: Int, every interval: Duration) -> ServerResponse {
        ServerResponse(
            steps.map { step in
                if case .send(let data) = step { return .drip(data, piece: piece, every: interval) }
                return step
            })
    }

    // MARK: Parts of custom scripts

    /// A status line and header fields, with the empty line at their end.
    public static func head(_ code: Int, headers: [(String, String)] = []) -> Data {
        let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        return Data("HTTP/1.1 \(code) Status\r\n\(fields)\r\n".utf8)
    }

    /// One chunk of a chunked body.
    public static func chunk(_ data: Data) -> Data {
        Data((String(data.count, radix: 16) + "\r\n").utf8) + data + Data("\r\n".utf8)
    }
}
