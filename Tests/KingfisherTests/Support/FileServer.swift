import Dispatch
import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Serves cached files on one connection of the loopback interface, as a program with a server library does.
final class FileServer: Sendable {
    /// The client's end of the connection.
    let client: CInt
    private let server: CInt
    private let cache: ImageCache
    private static let queue = DispatchQueue(label: "FileServer", attributes: .concurrent)

    init(_ cache: ImageCache) throws {
        self.cache = cache
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let client = client
        let isConnected = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                return bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0 && connect(client, address, length) == 0
            }
        }
        server = isConnected ? accept(listener, nil, nil) : -1
        guard isConnected, server >= 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { for end in [client, server] { close(end) } }

    /// Answers one request for the file of `key`. Calls `didSend` after each piece.
    func serve(_ key: String, didSend: @Sendable () -> Void = {}) async throws {
        let fields = try await Self.inBackground { [server] in Self.fields(of: Self.readHead(from: server)) }
        guard let file = try await cache.openFile(forKey: key) else {
            return try await send(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let response = file.response { fields[$0.lowercased()] }
        var head = "HTTP/1.1 \(response.status) -\r\n"
        if let length = response.contentLength { head += "Content-Length: \(length)\r\n" }
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        try await send(Data((head + "\r\n").utf8))
        for try await chunk in file.chunks(range: response.range) {
            try await send(chunk)
            didSend()
        }
    }

    private func send(_ data: Data) async throws {
        try await Self.inBackground { [server] in
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(server, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw POSIXError(.EPIPE) }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func readHead(from socket: CInt) -> String {
        var head = ""
        var byte: UInt8 = 0
        while !head.hasSuffix("\r\n\r\n"), recv(socket, &byte, 1, 0) == 1 {
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return head
    }

    /// The header fields by their names in lower case.
    private static func fields(of head: String) -> [String: String] {
        let lines = head.components(separatedBy: "\r\n").dropFirst()
        let fields = lines.map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
        return Dictionary(
            fields.map { ($0[0].lowercased(), $0[1].trimmingCharacters(in: .whitespaces)) },
            uniquingKeysWith: { first, _ in first })
    }

    static func inBackground<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// Sends a request, and compares the body with a range of a `LargeFile`, without holding either. Returns
    /// the head.
    func get(
        _ fields: [String], expecting expected: Range<Int>
    ) async throws -> (head: String, isExpected: Bool) {
        try await Self.inBackground { [client] in
            let request = "GET / HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
            _ = request.withCString { Glibc.send(client, $0, strlen($0), 0) }
            let head = Self.readHead(from: client)
            var room = [UInt8](repeating: 0, count: 32 << 10)
            var offset = expected.lowerBound
            while offset < expected.upperBound {
                let count = recv(client, &room, min(room.count, expected.upperBound - offset), 0)
                guard count > 0, LargeFile.has(room.prefix(count), at: offset) else { return (head, false) }
                offset += count
            }
            return (head, true)
        }
    }
}

/// The content of a large file, which tests compare without a second copy.
enum LargeFile {
    static let byteCount = 20_000_000
    /// A prime number, so that no piece size hides a wrong offset.
    private static let period = 65_521
    /// Two periods, so that a piece of at most one period is contiguous.
    private static let pattern: [UInt8] = {
        var random = SeededGenerator(seed: 8)
        let bytes = (0..<period).map { _ in UInt8.random(in: 0...255, using: &random) }
        return bytes + bytes
    }()

    /// Stores the file without leaving it in memory.
    static func store(in cache: ImageCache) async throws {
        var data = Data(capacity: byteCount + pattern.count)
        while data.count < byteCount { data.append(contentsOf: pattern) }
        try await cache.storeToDisk(data.prefix(byteCount), forKey: "key")
    }

    static func has(_ piece: ArraySlice<UInt8>, at offset: Int) -> Bool {
        let start = offset % period
        return piece.count <= period && pattern[start..<start + piece.count].elementsEqual(piece)
    }
}
