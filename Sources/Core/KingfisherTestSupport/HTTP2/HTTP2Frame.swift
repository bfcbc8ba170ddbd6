package import Foundation

/// A frame of HTTP/2 (RFC 9113, 4.1).
package struct HTTP2Frame: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
        /// Receivers must ignore it (RFC 9113, 4.1).
        case unknown = 250
    }

    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let endStream = Flags(rawValue: 1)
        /// Of SETTINGS and PING.
        package static let acknowledgement = Flags(rawValue: 1)
        package static let endHeaders = Flags(rawValue: 4)
        /// The payload begins with the number of bytes at its end that are padding.
        package static let padded = Flags(rawValue: 8)
    }

    static let headSize = 9
    /// The largest payload that every peer accepts.
    package static let maxPayload = 16_384

    let kind: Kind
    let flags: Flags
    /// 0 for the connection.
    let stream: UInt32
    let payload: Data

    package init(_ kind: Kind, _ flags: Flags = [], stream: UInt32 = 0, payload: Data = Data()) {
        (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
    }

    package var encoded: Data {
        let count = UInt32(payload.count)
        let head = Data([UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)])
        return head + [kind.rawValue, flags.rawValue] + Self.bytes(stream) + payload
    }

    static func bytes(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }

    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

extension HTTP2Frame {
    /// The start of a response. Without ``Flags/endHeaders``, CONTINUATION frames must follow.
    package static func headers(
        _ stream: UInt32, _ block: HPACKBlock, _ flags: Flags = .endHeaders
    ) -> HTTP2Frame { HTTP2Frame(.headers, flags, stream: stream, payload: block.bytes) }

    package static func continuation(
        _ stream: UInt32, _ block: HPACKBlock, _ flags: Flags = []
    ) -> HTTP2Frame { HTTP2Frame(.continuation, flags, stream: stream, payload: block.bytes) }

    package static func reset(_ stream: UInt32, code: UInt32) -> HTTP2Frame {
        HTTP2Frame(.reset, stream: stream, payload: bytes(code))
    }

    /// Announces that streams above `last` were not and will not be processed.
    package static func goAway(last: UInt32, code: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.goAway, payload: bytes(last) + bytes(code))
    }

    package static let settings = HTTP2Frame(.settings)
    package static let ping = HTTP2Frame(.ping, payload: Data(count: 8))
}

/// Encodes header fields (RFC 7541), without Huffman codes.
package struct HPACKBlock: Sendable {
    private(set) var bytes = Data()

    package init(_ fields: [(String, String)] = []) {
        for (name, value) in fields { append(name, value) }
    }

    package static func status(_ code: Int, _ fields: [(String, String)] = []) -> HPACKBlock {
        HPACKBlock([(":status", "\(code)")] + fields)
    }

    /// - Parameter enters: Whether the field enters the table, where the newest one has the index 62.
    package mutating func append(_ name: String, _ value: String, enters: Bool = false) {
        bytes.append(enters ? 0x40 : 0)
        append(string: name)
        append(string: value)
    }

    /// Repeats the newest field of the table, one byte for each repetition.
    package mutating func repeatNewest(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0x80 | 62, count: count))
    }

    private mutating func append(string: String) {
        var length = string.utf8.count
        if length < 127 {
            bytes.append(UInt8(length))
        } else {
            bytes.append(127)
            length -= 127
            while length >= 128 {
                bytes.append(UInt8(length % 128 + 128))
                length /= 128
            }
            bytes.append(UInt8(length))
        }
        bytes.append(contentsOf: string.utf8)
    }
}
