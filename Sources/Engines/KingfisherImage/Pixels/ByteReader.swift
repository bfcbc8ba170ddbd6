public import Foundation
import Glibc

/// Untrusted bytes with checked reads, which return nil past the end and for negative offsets.
///
/// Valid only while its bytes are: inside the closure that provides them (`Data.reading`), or as long as the
/// `EncodedFile` to which they belong.
///
/// Unchecked: the bytes do not change.
public struct ByteReader: @unchecked Sendable {
    /// The bytes, without checks.
    public let bytes: UnsafeRawBufferPointer
    private let ownLimits: ImageLimits?

    /// Creates a reader; without `limits`, the limits of the current `DecodingContext` apply.
    public init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits? = nil) {
        self.bytes = bytes
        ownLimits = limits
    }

    /// What a parser of the bytes must not exceed.
    public var limits: ImageLimits { ownLimits ?? .current }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// The byte at `offset`.
    public func uint8(at offset: Int) -> Int? {
        offset >= 0 && offset < bytes.count ? Int(bytes[offset]) : nil
    }

    /// The two bytes at `offset` as a number.
    public func uint16(at offset: Int, bigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return Int(bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value))
    }

    /// The four bytes at `offset` as a number.
    public func uint32(at offset: Int, bigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return Int(bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value))
    }

    /// Whether the bytes at `offset` equal `expected`.
    public func has(_ expected: StaticString, at offset: Int) -> Bool {
        let length = expected.utf8CodeUnitCount
        guard offset >= 0, offset <= bytes.count - length else { return false }
        return (0..<length).allSatisfy { bytes[offset + $0] == expected.utf8Start[$0] }
    }

    /// The offset of the first `byte` at or after `offset`.
    public func offset(of byte: UInt8, from offset: Int) -> Int? {
        guard let base = bytes.baseAddress, offset >= 0, offset < bytes.count,
            let found = memchr(base + offset, Int32(byte), bytes.count - offset)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }

    /// A reader over `count` bytes from `offset`; nil if they exceed the bytes.
    public func slice(at offset: Int, count: Int) -> ByteReader? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            return nil
        }
        return ByteReader(
            UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), limits: ownLimits)
    }
}

extension Data {
    /// Calls `body` with a reader over the bytes; errors keep their type.
    public func reading<Value>(
        _ body: (ByteReader) throws(ImageCodecError) -> Value
    ) throws(ImageCodecError) -> Value {
        let result = withUnsafeBytes { bytes -> Result<Value, ImageCodecError> in
            do throws(ImageCodecError) {
                return .success(try body(ByteReader(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
