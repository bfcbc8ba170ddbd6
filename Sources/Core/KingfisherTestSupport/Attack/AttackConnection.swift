import Foundation
import Glibc

/// A client's connection, confined to the thread of its ``AttackLoop``.
struct AttackConnection {
    private static let longestHead = 64 << 10
    /// Bytes sent before other connections are served.
    private static let sliceBytes = 1 << 20

    private let descriptor: Int32
    /// The current response; nil before the first request and after a complete response.
    private(set) var response: AttackResponse?
    private(set) var isBlocked = false
    /// The time of the next byte of a slow response.
    private var nextByte: ContinuousClock.Instant?
    private var unread: [UInt8] = []
    private var pieces: [Data] = []
    private var offset = 0

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0, unread.count < Self.longestHead {
                unread += buffer[..<count]
            } else {
                return count < 0 && (errno == EAGAIN || errno == EINTR)
            }
        }
    }

    mutating func nextTarget() -> String? {
        guard response == nil, let end = Data(unread).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
        unread.removeFirst(end.upperBound)
        return head.split(separator: " ", maxSplits: 2).dropFirst().first.map(String.init) ?? "/"
    }

    mutating func begin(_ response: AttackResponse) {
        self.response = response
        (pieces, offset) = (response.pieces.filter { !$0.isEmpty }.reversed(), 0)
        nextByte = response.interval.map { .now + $0 }
    }

    /// Sends one slice, as far as the socket accepts it. Returns `false` if the client has closed.
    mutating func send() -> Bool {
        var rest = Self.sliceBytes
        isBlocked = true
        while rest > 0 {
            guard let piece = pieces.last ?? response?.endless else {
                isBlocked = false
                if response?.isComplete == true { response = nil }
                return true
            }
            let count = piece.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            offset += count
            rest -= count
            if offset == piece.count {
                offset = 0
                _ = pieces.popLast()
            }
        }
        return true
    }

    /// Prepares the next byte of a slow response. Returns `false` if it is not due yet.
    mutating func drip(at now: ContinuousClock.Instant) -> Bool {
        guard let due = nextByte, due <= now, let interval = response?.interval else { return false }
        nextByte = now + interval
        if pieces.isEmpty { pieces = [Data("x".utf8)] }
        return true
    }
}
