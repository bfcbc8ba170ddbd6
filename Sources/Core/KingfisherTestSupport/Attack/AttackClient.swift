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
        /// The seconds of `Retry-After`.
        public let retryAfter: Int?
        /// The body.
        public let body: Data
        /// Seconds from the request to the last byte.
        public let seconds: Double

        /// The first line of the body.
        public var text: String { String(decoding: body.prefix { $0 != 0x0A }, as: UTF8.self) }
    }

    private var descriptor: Int32
    private var sent = ContinuousClock.now

    /// Connects to 127.0.0.1. Throws a `POSIXError` on failure.
    public init(port: Int) throws {
        descriptor = try LoopbackSocket.connect(to: in_port_t(port))
    }

    deinit { disconnect() }

    /// Sends a GET request with additional header fields.
    public func send(_ target: String, headers: [(String, String)] = []) {
        let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        sendRaw("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
    }

    /// Sends text unchanged.
    public func sendRaw(_ text: String) {
        sent = .now
        var text = text
        text.withUTF8 { _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
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
        let fields = ServerRequest.fields(lines.dropFirst())
        func number(_ name: String) -> Int? {
            fields.first { $0.name.lowercased() == name }.flatMap { Int($0.value) }
        }
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            received.count - end.upperBound >= number("content-length") ?? 0
        else { return nil }
        return Reply(
            status: status, retryAfter: number("retry-after"), body: received[end.upperBound...],
            seconds: (.now - sent) / .seconds(1))
    }
}
