package import Foundation
import Glibc

/// Untrusted bytes whose every read is checked: nil past the end, whatever the offset.
package struct ByteReader {
    package let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package var count: Int { bytes.count }

    package func uint8(at offset: Int) -> Int? {
        offset >= 0 && offset < bytes.count ? Int(bytes[offset]) : nil
    }

    package func uint16(at offset: Int, bigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return Int(bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value))
    }

    package func uint32(at offset: Int, bigEndian: Bool) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4 else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return Int(bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value))
    }

    /// Whether `expected` stands at `offset`.
    package func has(_ expected: StaticString, at offset: Int) -> Bool {
        let length = expected.utf8CodeUnitCount
        guard offset >= 0, offset <= bytes.count - length else { return false }
        return (0..<length).allSatisfy { bytes[offset + $0] == expected.utf8Start[$0] }
    }

    /// Where the next `byte` stands, from `offset` on.
    package func offset(of byte: UInt8, from offset: Int) -> Int? {
        guard let base = bytes.baseAddress, offset >= 0, offset < bytes.count,
            let found = memchr(base + offset, Int32(byte), bytes.count - offset)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }

    /// A reader over `count` bytes from `offset`; nil when they are not all there.
    package func slice(at offset: Int, count: Int) -> ByteReader? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            return nil
        }
        return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
}

extension Data {
    /// Lends the bytes to `body`, whose error keeps its type.
    package func reading<Value>(
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
