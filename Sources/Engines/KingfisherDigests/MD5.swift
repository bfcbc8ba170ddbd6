import CCrypto

/// MD5 (RFC 1321) by libcrypto, in lower-case hexadecimal digits, for protocols that require it. Not for
/// security.
package enum MD5 {
    package static func hexDigest(of string: String) -> String {
        var string = string
        return string.withUTF8 { bytes in
            hexDigits(count: 16) { kf_md5(bytes.baseAddress, bytes.count, $0) }
        }
    }
}
