public import Foundation

/// A request as the server received it.
public struct ServerRequest: Sendable {
    /// The method, as it stood in the request line.
    public let method: String
    /// What stood in the request line: path and query, or a whole URL when the server is used as a proxy.
    public let target: String
    /// The header fields in the order in which they came.
    public let headers: [(name: String, value: String)]
    /// The body, whole.
    public let body: Data
    /// Counts the server's connections from 1: two requests with the same number shared one.
    public let connection: Int
    /// The common name in the certificate that the client has shown; nil where it has none, or without TLS.
    public let clientName: String?

    /// The target without its query.
    public var path: String { target.prefix { $0 != "?" }.description }

    /// The first value of a header field, its name compared without regard to case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Parses a request without its body; `nil` when it is not one.
    init?(head: some Collection<UInt8>, body: Data, connection: ServerConnection) {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let parts = lines[0].split(separator: " ")
        guard parts.count == 3 else { return nil }
        method = String(parts[0])
        target = String(parts[1])
        headers = Self.fields(lines.dropFirst())
        self.body = body
        self.connection = connection.id
        clientName = connection.clientName
    }

    static func fields(_ lines: some Sequence<String>) -> [(name: String, value: String)] {
        lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (String(line[..<colon]), value)
        }
    }
}
