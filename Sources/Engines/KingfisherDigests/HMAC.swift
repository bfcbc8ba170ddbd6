import CCrypto

/// Message authentication codes with a secret key (RFC 2104), by libcrypto.
package enum HMAC {
    /// The hash function, by the bytes of its code.
    package enum Hash: Int, Sendable {
        case sha1 = 20
        case sha256 = 32
        case sha512 = 64
    }

    /// The code of `message`; empty if libcrypto cannot compute it. A key has at most 2 GiB.
    package static func code(of message: [UInt8], key: [UInt8], _ hash: Hash = .sha256) -> [UInt8] {
        // OpenSSL takes the key of an earlier call for a null pointer, which an empty array may have.
        let key = key.isEmpty ? [0] : key
        return [UInt8](unsafeUninitializedCapacity: hash.rawValue) { code, count in
            let isComputed = message.withUnsafeBytes { message in
                kf_hmac(hash.rawValue, key, key.count, message.baseAddress, message.count, code.baseAddress)
            }
            count = isComputed ? hash.rawValue : 0
        }
    }

    /// Whether two secrets are equal, in a time that depends only on their lengths.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && kf_same_secret(one, other, one.count)
    }
}
