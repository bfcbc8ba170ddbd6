import CCrypto

/// SHA-256 (FIPS 180-4) by libcrypto, in lower-case hexadecimal digits.
package enum SHA256 {
    package static func hexDigest(of string: String) -> String {
        var string = string
        return string.withUTF8 { hexDigest(of: UnsafeRawBufferPointer($0)) }
    }

    package static func hexDigest(of bytes: UnsafeRawBufferPointer) -> String {
        hexDigits(count: 32) { kf_sha256(bytes.baseAddress, bytes.count, $0) }
    }
}
