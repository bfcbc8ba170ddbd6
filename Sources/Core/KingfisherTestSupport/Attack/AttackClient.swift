public import Foundation
import Glibc

/// An HTTP/1.1 client with a dedicated socket that can disconnect at any time. Each call blocks its thread.
///
///     let client = try AttackClient(port: 8080)
///     try client.send("/thumbnail?url=...")
///     client.disconnect()
public final class AttackClient {
    /// A response and its duration.
    public struct Reply: Sendable {
        /// The status code.
        public let status: Int
        /// The header fields, with names in lower case; of a repeated field, the last one.
        public let fields: [String: String]
        /// The body.
        public let body: Data
        /// Seconds from the request to the last byte.
        public let seconds: Double

        /// The seconds of `Retry-After`.
        public var retryAfter: Int? { fields["retry-after"].flatMap { Int($0) } }

        /// The first line of the body.
        public var text: String { String(decoding: body.prefix { $0 != 0x0A }, as: UTF8.self) }
    }

    private var descriptor: Int32
    private var sent = ContinuousClock.now

    /// Connects to 127.0.0.1. Throws a `POSIXError` on failure.
    ///
    /// - Parameter host: The last part of the client's address, 127.0.0.`host`, because servers limit what an
    ///   address may do.
    public init(port: Int, host: UInt8? = nil) throws {
        descriptor = try LoopbackSocket.connect(
            to: in_port_t(port), from: host.map { 0x7f00_0000 + UInt32($0) })
    }

    deinit { disconnect() }

    /// Sends a GET request with additional header fields.
    public func send(_ target: String, headers: [(String, String)] = []) {
        let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        sendRaw("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
    }

    /// Sends text unchanged.
    public func sendRaw(_ text: String) { sendRaw(Data(text.utf8)) }

    /// Sends bytes unchanged.
    public func sendRaw(_ bytes: Data) {
        sent = .now
        bytes.withUnsafeBytes { _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Waits for a complete response with a `Content-Length`. Returns nil if the server closes the connection
    /// earlier, or if `limit` has passed since the request was sent.
    public func reply(within limit: Duration) -> Reply? {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let reply = parse(received) { return reply }
            guard hasArrived(within: limit - (.now - sent)) else { return nil }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
    }

    /// Reads until the server closes the connection, or until a pause: of `limit` before the first byte, of
    /// `pause` after each one.
    public func everything(within limit: Duration, pause: Duration) -> (bytes: Data, isClosed: Bool) {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while hasArrived(within: received.isEmpty ? limit : pause) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return (received, true) }
            received += buffer[..<count]
        }
        return (received, false)
    }

    /// Whether the server closes the connection within a time.
    public func isClosed(within limit: Duration) -> Bool {
        var byte: UInt8 = 0
        return hasArrived(within: limit) && recv(descriptor, &byte, 1, 0) <= 0
    }

    /// Whether the server resets the connection within a time. Reads nothing.
    public func isReset(within limit: Duration) -> Bool { hasArrived(0, within: limit) }

    /// Closes the connection immediately.
    public func disconnect() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Whether one of `events` has occurred, or the connection has failed.
    private func hasArrived(_ events: Int32 = POLLIN, within limit: Duration) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let milliseconds = max(0, (limit / .milliseconds(1)).rounded(.up))
        return Glibc.poll(&entry, 1, Int32(min(milliseconds, 1e9))) > 0
    }

    private func parse(_ received: Data) -> Reply? {
        guard let end = received.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let fields = Dictionary(
            ServerRequest.fields(lines.dropFirst()).map { ($0.name.lowercased(), $0.value) }
        ) { $1 }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            received.count - end.upperBound >= length
        else { return nil }
        return Reply(
            status: status, fields: fields, body: received[end.upperBound...],
            seconds: (.now - sent) / .seconds(1))
    }
}
