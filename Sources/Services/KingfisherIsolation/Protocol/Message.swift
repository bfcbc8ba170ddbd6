/// A message, a payload or a field that does not follow the protocol. The text says which.
package struct ProtocolViolation: Error, Hashable {
    package let detail: String

    package init(_ detail: String) {
        self.detail = detail
    }
}

/// The common rules of messages between a program and its decoder process.
///
/// A message is one packet of at most `maximumBytes`: little-endian numbers and texts with their length.
/// Larger results, and pixels, are in the arena.
package enum Message {
    /// Changes with every change of a message, so that programs and decoders of different builds never
    /// misunderstand each other.
    package static let version: UInt32 = 3
    package static let maximumBytes = 4_096
    package static let maximumTextBytes = 1_024
}

/// Appends fields to a message.
package struct MessageWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func put(_ value: Double) { put(value.bitPattern) }

    /// Longer texts are truncated.
    package mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let kept = utf8.prefix(Message.maximumTextBytes)
            put(UInt16(kept.count))
            bytes.append(contentsOf: kept)
        }
    }

    package mutating func put(_ block: some Collection<UInt8>) {
        put(UInt64(block.count))
        bytes.append(contentsOf: block)
    }
}

/// Reads the fields of a message or payload that comes from the other process. Never reads past its end.
package struct MessageReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// The bytes must stay valid while the reader is used.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private mutating func next(_ count: Int) throws(ProtocolViolation) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= bytes.count - offset else { throw ProtocolViolation("it is truncated") }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    package mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(ProtocolViolation) -> Number {
        Number(littleEndian: try next(MemoryLayout<Number>.size).loadUnaligned(as: Number.self))
    }

    /// A 64-bit number.
    package mutating func int() throws(ProtocolViolation) -> Int { Int(try number(Int64.self)) }

    /// A 64-bit number from 0 to `maximum`.
    package mutating func count(upTo maximum: Int = .max) throws(ProtocolViolation) -> Int {
        let value = try int()
        guard 0...maximum ~= value else { throw ProtocolViolation("a count is out of range") }
        return value
    }

    package mutating func flag() throws(ProtocolViolation) -> Bool {
        let value = try number(UInt8.self)
        guard value <= 1 else { throw ProtocolViolation("a flag is neither 0 nor 1") }
        return value == 1
    }

    package mutating func double() throws(ProtocolViolation) -> Double {
        Double(bitPattern: try number(UInt64.self))
    }

    /// A text without control characters, which are replaced: it may end in a log.
    package mutating func text() throws(ProtocolViolation) -> String {
        let count = Int(try number(UInt16.self))
        guard count <= Message.maximumTextBytes else { throw ProtocolViolation("a text is too long") }
        let text = String(decoding: try next(count), as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? "?" : $0 }))
    }

    /// A block of bytes of at most `maximum`.
    package mutating func block(upTo maximum: Int) throws(ProtocolViolation) -> [UInt8] {
        Array(try next(try count(upTo: maximum)))
    }

    /// Throws unless all bytes were read.
    package func finish() throws(ProtocolViolation) {
        guard offset == bytes.count else {
            throw ProtocolViolation("it has \(bytes.count - offset) bytes too many")
        }
    }
}
