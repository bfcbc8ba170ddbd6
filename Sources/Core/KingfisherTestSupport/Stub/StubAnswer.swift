public import Foundation
public import KingfisherTransport

/// The response of a ``StubTransport`` to one request.
public struct StubAnswer: Sendable {
    /// The status of the head.
    public var status: Int
    /// The header fields of the head.
    public var headers: [String: String]
    /// The body. Its length is announced only by `ok(_:)`.
    public var body: Data
    /// The size of the delivered body pieces in bytes.
    public var pieceSize = 64 << 10
    /// The protocol in the metrics; "HTTP/2" for a connection that transfers share.
    public var protocolName = "HTTP/1.1"
    /// The error that ends the transfer: after the body if there is one, otherwise before the head.
    public var error: TransportError?

    /// Creates a complete response.
    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A complete response that announces its length.
    public static func ok(_ body: Data) -> StubAnswer {
        StubAnswer(headers: ["Content-Length": "\(body.count)"], body: body)
    }

    /// A redirect without a body.
    public static func redirect(to location: String, status: Int = 302) -> StubAnswer {
        StubAnswer(status: status, headers: ["Location": location])
    }

    /// An error instead of a response.
    public static func failure(_ error: TransportError) -> StubAnswer {
        var answer = StubAnswer()
        answer.error = error
        return answer
    }
}
