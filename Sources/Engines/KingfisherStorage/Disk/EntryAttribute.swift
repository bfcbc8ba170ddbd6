import Foundation

/// The cache's metadata of a file, in an extended attribute of the same inode.
///
/// Format version 1, all numbers little-endian:
///
///     offset  bytes
///          0      2  format version
///          2      2  reserved, zero
///          4      8  payload length
///         12      8  XXH3-64 of the payload
///         20      8  stored at, nanoseconds since 1970
///         28      8  time to live, nanoseconds; the largest number means forever
///         36      n  records, each kind (2), length (2), bytes; room for HTTP validators
///     36 + n      8  XXH3-64 of all preceding bytes
///
/// A reader skips records of unknown kinds and preserves them when it rewrites the attribute. It treats an
/// unknown version like a missing attribute.
struct EntryAttribute: Sendable, Equatable {
    enum Lifetime: Sendable, Equatable {
        case seconds(TimeInterval)
        case forever
    }

    var payloadLength: UInt64
    var checksum: UInt64
    var storedAt: Date
    var lifetime: Lifetime
    var records: [EntryRecord] = []

    static let name = "user.kingfisher"
    static let version: UInt16 = 1
    private static let headerLength = 36
    private static let checkLength = 8
}

extension EntryAttribute.Lifetime {
    init(from now: Date, to expiration: Date) {
        self = expiration >= .distantFuture ? .forever : .seconds(expiration.timeIntervalSince(now))
    }

    func expiration(since date: Date) -> Date {
        switch self {
        case .seconds(let seconds): date.addingTimeInterval(seconds)
        case .forever: .distantFuture
        }
    }
}

// MARK: - Bytes

extension EntryAttribute {
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        let records = records.flatMap(\.encoded)
        bytes.reserveCapacity(Self.headerLength + records.count + Self.checkLength)
        bytes.appendLittleEndian(Self.version)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(payloadLength)
        bytes.appendLittleEndian(checksum)
        bytes.appendLittleEndian(Self.nanoseconds(storedAt.timeIntervalSince1970))
        switch lifetime {
        case .seconds(let seconds): bytes.appendLittleEndian(min(Self.nanoseconds(seconds), .max - 1))
        case .forever: bytes.appendLittleEndian(Int64.max)
        }
        bytes += records
        bytes.appendLittleEndian(bytes.withUnsafeBytes { Checksum.of($0) })
        return bytes
    }

    enum Reading: Equatable {
        case valid(EntryAttribute)
        /// Missing, or written by an unknown version.
        case unknown
        case damaged
    }

    static func read(_ bytes: [UInt8]?) -> Reading {
        guard let bytes else { return .unknown }
        guard let found: UInt16 = bytes.littleEndian(at: 0) else { return .damaged }
        guard found == version else { return .unknown }
        let end = bytes.count - checkLength
        guard end >= headerLength, let check: UInt64 = bytes.littleEndian(at: end),
            bytes.withUnsafeBytes({ Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<end])) }) == check,
            let length: UInt64 = bytes.littleEndian(at: 4),
            let checksum: UInt64 = bytes.littleEndian(at: 12),
            let storedAt: Int64 = bytes.littleEndian(at: 20),
            let lifetime: Int64 = bytes.littleEndian(at: 28)
        else { return .damaged }
        guard let records = EntryRecord.read(Array(bytes[headerLength..<end])) else { return .damaged }
        return .valid(
            EntryAttribute(
                payloadLength: length, checksum: checksum,
                storedAt: Date(timeIntervalSince1970: TimeInterval(storedAt) / 1e9),
                lifetime: lifetime == .max ? .forever : .seconds(TimeInterval(lifetime) / 1e9),
                records: records))
    }

    /// Nanoseconds, clamped to 64 bits (292 years).
    private static func nanoseconds(_ seconds: TimeInterval) -> Int64 {
        Int64(exactly: (seconds * 1e9).rounded()) ?? (seconds > 0 ? .max : .min)
    }
}

extension [UInt8] {
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    func littleEndian<T: FixedWidthInteger>(at offset: Int) -> T? {
        guard offset >= 0, offset + MemoryLayout<T>.size <= count else { return nil }
        return withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }
}
