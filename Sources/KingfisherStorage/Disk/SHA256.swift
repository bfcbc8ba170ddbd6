import CCrypto

/// SHA-256 by libcrypto.
package enum SHA256 {
    /// The digest of a string's UTF-8 bytes, as 64 lower-case hexadecimal digits.
    package static func hexDigest(of string: String) -> String {
        var string = string
        return string.withUTF8 { hexDigest(of: UnsafeRawBufferPointer($0)) }
    }

    package static func hexDigest(of bytes: UnsafeRawBufferPointer) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            kf_sha256(bytes.baseAddress, bytes.count, digest.baseAddress)
            return String(unsafeUninitializedCapacity: 64) { text in
                for index in 0..<32 {
                    text[2 * index] = hexDigit(digest[index] >> 4)
                    text[2 * index + 1] = hexDigit(digest[index] & 15)
                }
                return 64
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
