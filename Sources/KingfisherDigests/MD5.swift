import CCrypto

/// MD5 (RFC 1321) by libcrypto, for protocols that require it. Not for security.
package enum MD5 {
    /// The digest of a string's UTF-8 bytes, as 32 lower-case hexadecimal digits.
    package static func hexDigest(of string: String) -> String {
        var string = string
        return string.withUTF8 { bytes in
            hexDigits(count: 16) { kf_md5(bytes.baseAddress, bytes.count, $0) }
        }
    }
}
