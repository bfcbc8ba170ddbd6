import Foundation
import Glibc
import KingfisherSharedCache
import Synchronization

/// A server on 127.0.0.1 that answers each command as a test says. `HELLO` is answered like a server does,
/// unless the test answers it.
final class FakeServer: Sendable {
    enum Answer: Sendable {
        case bytes(String)
        case nothing
        /// The bytes, and then the end of the connection.
        case close(String)
        /// The bytes, and then one byte every few milliseconds without end.
        case drip(String)
        /// The parts, with 100 ms between them.
        case slow([String])
    }

    typealias Respond = @Sendable (_ command: [String]) -> Answer?

    let port: Int
    private let listener: Int32
    private let respond: Respond
    private let received = Mutex<[[String]]>([])
    private let isStopped = Mutex(false)
    private let dropped = Mutex(0)

    init(_ respond: @escaping Respond) throws {
        self.respond = respond
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = RedisServer.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                Thread.detachNewThread { [weak self] in
                    self?.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func stop() {
        isStopped.withLock { $0 = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The commands so far, without `HELLO`.
    var commands: [[String]] { received.withLock { $0.filter { $0.first != "HELLO" } } }

    /// The number of clients that have closed their connection during a drip.
    var droppedClients: Int { dropped.withLock { $0 } }

    func client(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> NIORedisClient {
        var configuration = try RedisConfiguration(url: "redis://127.0.0.1:\(port)", environment: [:])
        configuration.connectTimeout = .seconds(5)
        configuration.responseTimeout = .seconds(5)
        configuration.connectionsPerNode = 1
        change(&configuration)
        return try NIORedisClient(configuration)
    }

    private func serve(_ connection: Int32) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
            rest += buffer[..<count]
            while let command = Self.takeCommand(&rest) {
                received.withLock { $0.append(command) }
                let hello = command[0] == "HELLO" ? Answer.bytes("%1\r\n+server\r\n+fake\r\n") : .nothing
                guard answer(respond(command) ?? hello, connection) else { return }
            }
        }
    }

    /// Returns false at the end of the connection.
    private func answer(_ answer: Answer, _ connection: Int32) -> Bool {
        switch answer {
        case .nothing: return true
        case .bytes(let text): return Self.send(text, connection)
        case .close(let text):
            _ = Self.send(text, connection)
            return false
        case .drip(let text):
            guard Self.send(text, connection) else { return false }
            // Paces a peer that never ends, so that only the client's limits end the reply.
            while Self.send("x", connection) {
                guard !isStopped.withLock({ $0 }) else { return false }
                usleep(2_000)
            }
            dropped.withLock { $0 += 1 }
            return false
        case .slow(let parts):
            return parts.allSatisfy { part in
                usleep(100_000)
                return Self.send(part, connection)
            }
        }
    }

    private static func send(_ text: String, _ connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Reads an array of strings, as clients send it.
    private static func takeCommand(_ bytes: inout [UInt8]) -> [String]? {
        var rest = bytes[...]
        func number(_ type: Character) -> Int? {
            guard let end = rest.firstIndex(of: 10), rest.first == type.asciiValue else { return nil }
            defer { rest = rest[(end + 1)...] }
            return Int(String(decoding: rest[rest.startIndex + 1..<end - 1], as: UTF8.self))
        }
        guard let count = number("*") else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard let length = number("$"), rest.count >= length + 2 else { return nil }
            words.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length + 2)
        }
        bytes = Array(rest)
        return words
    }
}
