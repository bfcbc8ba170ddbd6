public import Foundation

/// A request as the server received it.
public struct ServerRequest: Sendable {
    /// The method in the request line.
    public let method: String
    /// The target in the request line: path and query, or a whole URL if the server is used as a proxy.
    public let target: String
    /// The header fields in their original order.
    public let headers: [(name: String, value: String)]
    /// The complete body.
    public let body: Data
    /// The number of the connection, from 1. Requests with the same number shared a connection.
    public let connection: Int
    /// The common name in the client's certificate; nil if it has none, or without TLS.
    public let clientName: String?

    /// The target without its query.
    public var path: String { target.prefix { $0 != "?" }.description }

    /// The first value of a header field; the name is case-insensitive.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

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
