import Foundation

/// A request that is malformed, or unusual enough to be read in two ways.
struct MalformedRequest: Sendable {
    let name: String
    let bytes: Data
    /// The most responses that one reading of it gives.
    var responses = 1
    /// Whether a response with status 200 is right.
    var isServed = false

    init(_ name: String, _ text: String, responses: Int = 1, isServed: Bool = false) {
        self.init(name, Data(text.utf8), responses: responses, isServed: isServed)
    }

    init(_ name: String, _ bytes: Data, responses: Int = 1, isServed: Bool = false) {
        (self.name, self.bytes, self.responses, self.isServed) = (name, bytes, responses, isServed)
    }

    /// Whether the response is one that a client and a proxy understand: errors of the client, or a closed
    /// connection, and no more responses than requests.
    func isClear(_ received: Data, isClosed: Bool) -> Bool {
        let statuses = Self.statuses(in: received)
        guard !statuses.isEmpty else { return isClosed && received.isEmpty }
        return statuses.count <= responses
            && statuses.allSatisfy { status in
                (400...499).contains(status) || [501, 505].contains(status) || (status == 200 && isServed)
            }
    }

    static func statuses(in received: Data) -> [Int] {
        String(decoding: received, as: UTF8.self).matches(of: /HTTP\/1\.[01] ([0-9]{3})/).compactMap {
            Int($0.1)
        }
    }

    static let all = lengths + encodings + chunks + lines + versions + targets + sizes + others

    /// A second request, which only one of two readings sees.
    private static let hidden = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func fields(_ name: String, _ fields: String, _ body: String = "") -> Self {
        Self(
            name, "POST /unsafe/expires:4000000000/upload@png HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
        )
    }

    private static let lengths = [
        fields("both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n\(hidden)"),
        fields("both, reversed", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n\(hidden)"),
        fields("two lengths", "Content-Length: 0\r\nContent-Length: 5", hidden),
        fields("list of lengths", "Content-Length: 0, 5", hidden),
        fields("length with sign", "Content-Length: +5", "12345"),
        fields("negative length", "Content-Length: -1", hidden),
        fields("hexadecimal length", "Content-Length: 0x5", "12345"),
        fields("huge length", "Content-Length: 99999999999999999999", "1"),
        fields("length with a space", "Content-Length: 5 5", "12345"),
        fields("no digits", "Content-Length:", hidden),
        fields("length of a terabyte", "Content-Length: 1099511627776", "1"),
    ]

    private static let encodings = [
        fields("unknown encoding", "Transfer-Encoding: x", hidden),
        fields("unknown after chunked", "Transfer-Encoding: chunked, x", "0\r\n\r\n\(hidden)"),
        fields("unknown before chunked", "Transfer-Encoding: x, chunked", "0\r\n\r\n"),
        fields("chunked twice", "Transfer-Encoding: chunked, chunked", "0\r\n\r\n\(hidden)"),
        fields("space before the colon", "Transfer-Encoding : chunked", "0\r\n\r\n\(hidden)"),
        fields("vertical tab", "Transfer-Encoding:\u{B}chunked", "0\r\n\r\n\(hidden)"),
        fields("identity", "Transfer-Encoding: identity", hidden),
        fields("other name", "Transfer-Encoding: xchunked", "0\r\n\r\n\(hidden)"),
    ]

    private static func chunked(_ name: String, _ body: String) -> Self {
        fields(name, "Transfer-Encoding: chunked", body)
    }

    private static let chunks = [
        chunked("negative chunk", "-1\r\nx\r\n0\r\n\r\n"),
        chunked("chunk beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n"),
        chunked("chunk with 0x", "0x1\r\nx\r\n0\r\n\r\n"),
        chunked("long extension", "1;\(String(repeating: "x", count: 20_000))\r\nx\r\n0\r\n\r\n"),
        chunked("bare LF after a size", "1\nx\n0\n\n"),
        chunked("no line end after a chunk", "1\r\nxx0\r\n\r\n\(hidden)"),
        chunked("length in the trailer", "0\r\nContent-Length: 40\r\n\r\n"),
    ]

    private static func line(_ name: String, _ lines: String, isServed: Bool = false) -> Self {
        Self(name, "GET /health HTTP/1.1\r\n\(lines)\r\n\r\n", isServed: isServed)
    }

    private static let lines = [
        line("folded field", "Host: a\r\nX: y\r\n z"), line("bare CR", "Host: a\r\nX: y\rZ: 1"),
        Self("bare LF", "GET /health HTTP/1.1\nHost: a\n\n", isServed: true),
        line("no colon", "Host: a\r\nnonsense"), line("no name", "Host: a\r\n: x"),
        line("space before a name", " Host: a"), line("NUL in a field", "Host: a\r\nX: y\u{0}z"),
        line("control character", "Host: a\r\nX: \u{1}"), line("space in a name", "Host: a\r\nX Y: z"),
        line("no host", "X: y", isServed: true), line("two hosts", "Host: a\r\nHost: b", isServed: true),
        line("host with a user", "Host: a@b", isServed: true),
        line("host with a path", "Host: a/b c", isServed: true),
    ]

    private static func first(_ name: String, _ line: String, isServed: Bool = false) -> Self {
        Self(name, "\(line)\r\nHost: a\r\n\r\n", isServed: isServed)
    }

    private static let versions = [
        Self("HTTP/0.9", "GET /health\r\n"), Self("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        first("HTTP/9.9", "GET /health HTTP/9.9"), first("no version", "GET /health HTTP/"),
        first("letter after the version", "GET /health HTTP/1.1x"),
        first("version in lower case", "GET /health http/1.1"),
        first("method in lower case", "get /health HTTP/1.1"),
        first("long method", "\(String(repeating: "A", count: 5_000)) / HTTP/1.1"),
        first("tabs", "GET\t/health\tHTTP/1.1"), first("no method", " /health HTTP/1.1"),
        first("two spaces", "GET  /health  HTTP/1.1", isServed: true),
    ]

    private static func path(_ name: String, _ path: String, isServed: Bool = false) -> Self {
        first(name, "GET \(path) HTTP/1.1", isServed: isServed)
    }

    private static let targets = [
        path("absolute form", "http://127.0.0.1/health", isServed: true),
        path("absolute form of another host", "http://other.invalid/unsafe/plain/x"),
        first("CONNECT", "CONNECT 127.0.0.1:22 HTTP/1.1"), first("OPTIONS *", "OPTIONS * HTTP/1.1"),
        path("asterisk", "*"), path("NUL", "/health\u{0}"), path("escaped NUL", "/health%00"),
        Self(
            "bytes that are no UTF-8",
            Data("GET /\u{0}".utf8.dropLast()) + [0xFF, 0xFE] + Data(" HTTP/1.1\r\n\r\n".utf8)),
        Self(
            "overlong UTF-8", Data("GET /".utf8) + [0xC0, 0xAF] + Data("x HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
        path("escaped overlong UTF-8", "/unsafe/plain/%c0%af"),
        path("escaped dots", "/unsafe/fit:9x9/plain/local:///%2e%2e/%2e%2e/etc/passwd"),
        path("dots", "/../../etc/passwd"), path("dots before a route", "/x/../health"),
        path("semicolon", "/;/health"), path("semicolon after a route", "/health;x"),
        path("two slashes", "//health"), path("backslash", "/\\health"), path("fragment", "/#/health"),
        path("bad escape", "/%zz"), path("empty", ""), path("CR and LF", "/x%0d%0aX-Injected:%20y"),
    ]

    private static let sizes = [
        line("1,000 fields", "Host: a\r\n" + (0..<1_000).map { "X-\($0): y" }.joined(separator: "\r\n")),
        line("a field of a mebibyte", "Host: a\r\nX: \(String(repeating: "y", count: 1 << 20))"),
        line("a name of 100 KB", "Host: a\r\n\(String(repeating: "y", count: 100_000)): x"),
        path("path of 100 KB", "/\(String(repeating: "y", count: 100_000))"),
        path("1,000 segments", "/unsafe" + String(repeating: "/bw", count: 1_000) + "/plain/x"),
    ]

    private static let others = [
        Self("TLS", Data([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00])),
        Self("NULs", Data(count: 5_000)), Self("empty lines", String(repeating: "\r\n", count: 5_000)),
        line("upgrade to HTTP/2", "Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c", isServed: true),
        line("upgrade to WebSocket", "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket", isServed: true),
        line("unknown expectation", "Host: a\r\nExpect: x", isServed: true),
        fields("expectation of a body", "Content-Length: 5\r\nExpect: 100-continue", ""),
        // Without a length there is no body, and the next bytes are a request.
        Self("no length", "POST / HTTP/1.1\r\nHost: a\r\n\r\n\(hidden)", responses: 2, isServed: true),
        Self("pipeline", String(repeating: hidden, count: 50), responses: 50, isServed: true),
        Self(
            "pipeline with nonsense", hidden + hidden + "nonsense\r\n\r\n" + hidden, responses: 3,
            isServed: true),
        Self("half a head", "GET /health HTTP/1.1\r\nHost: "),
    ]
}
