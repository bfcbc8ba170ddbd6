import Foundation

/// What a partial file knows of its resource, to ask a server for the rest and to recognise it.
package struct PartialResource: Sendable, Equatable {
    /// The length of the whole body in bytes.
    package let total: Int
    /// A strong entity tag or a strong date, for `If-Range` (RFC 9110, 13.1.5).
    package let validator: String
    /// A checksum of the request: another one may get another representation.
    package let request: UInt64
    /// A checksum of the URL that has responded, after redirects: at another one, equal validators have
    /// another meaning.
    package let location: UInt64

    package init?(total: Int, validator: String, request: UInt64, location: UInt64) {
        guard total > 0, !validator.isEmpty, validator.utf8.count <= EntryRecord.mostBytes else { return nil }
        self.total = total
        self.validator = validator
        self.request = request
        self.location = location
    }
}

/// The state of a partial file, in the extended attribute that holds the metadata of entries.
///
/// All numbers little-endian:
///
///     offset  bytes
///          0      2  format version, 0x8001; readers of entries treat it as unknown
///          2      2  reserved, zero
///          4      8  bytes received
///         12      8  XXH3-64 of these bytes
///         20      8  length of the whole body
///         28      8  checksum of the request
///         36      8  checksum of the URL that has responded
///         44      n  validator, UTF-8
///     44 + n      8  XXH3-64 of all preceding bytes
struct PartialRecord: Sendable, Equatable {
    let resource: PartialResource
    let count: Int
    let checksum: UInt64

    static let version: UInt16 = 0x8001
    private static let (headerLength, checkLength) = (44, 8)

    init(_ resource: PartialResource, count: Int, checksum: UInt64) {
        (self.resource, self.count, self.checksum) = (resource, count, checksum)
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(Self.version)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(UInt64(count))
        bytes.appendLittleEndian(checksum)
        bytes.appendLittleEndian(UInt64(resource.total))
        bytes.appendLittleEndian(resource.request)
        bytes.appendLittleEndian(resource.location)
        bytes += Array(resource.validator.utf8)
        bytes.appendLittleEndian(bytes.withUnsafeBytes { Checksum.of($0) })
        return bytes
    }

    /// Nil for bytes that are no intact record, or describe an impossible state.
    init?(_ bytes: [UInt8]) {
        let end = bytes.count - Self.checkLength
        guard end > Self.headerLength, bytes.littleEndian(at: 0) == Self.version,
            bytes.littleEndian(at: end)
                == bytes.withUnsafeBytes({ Checksum.of(UnsafeRawBufferPointer(rebasing: $0[..<end])) }),
            let count: UInt64 = bytes.littleEndian(at: 4), let checksum: UInt64 = bytes.littleEndian(at: 12),
            let total: UInt64 = bytes.littleEndian(at: 20), let request: UInt64 = bytes.littleEndian(at: 28),
            let location: UInt64 = bytes.littleEndian(at: 36),
            let total = Int(exactly: total), count < total,
            let validator = String(validating: bytes[Self.headerLength..<end], as: UTF8.self),
            let resource = PartialResource(
                total: total, validator: validator, request: request, location: location)
        else { return nil }
        self.init(resource, count: Int(count), checksum: checksum)
    }
}
