import Kingfisher
import KingfisherDigests

/// Signatures of the service's own URLs: HMAC-SHA256 (RFC 2104) in Base64 for URLs without padding.
struct NativeSigner: Sendable {
    /// What precedes the path in the signed bytes, so that a key that signs other texts opens no URL.
    private static let domain = Array("kingfisher-1\n".utf8)
    /// The bytes of a signature's text.
    static let length = 43
    /// What replaces the signature in a service that signs no URLs.
    static let unsigned = "unsafe"

    private let signing: ServiceSettings.Signing

    init(_ signing: ServiceSettings.Signing) { self.signing = signing }

    /// The signature of a path below the prefix, as sent; nil if it cannot be computed.
    func signature(of path: String) -> String? {
        switch signing {
        case .off: Self.unsigned
        case .keys(let keys): keys.first.flatMap { Self.signature(of: path, key: $0) }
        }
    }

    /// Whether a signature belongs to the path, by any key.
    ///
    /// The time does not depend on which key matches, or at which character texts differ.
    func accepts(_ signature: Substring, of path: String) -> Bool {
        switch signing {
        case .off: return ByteText.areEqual(signature, Self.unsigned)
        case .keys(let keys):
            guard signature.utf8.count == Self.length else { return false }
            let received = Array(signature.utf8)
            return keys.reduce(false) { isAccepted, key in
                let expected = Array((Self.signature(of: path, key: key) ?? "").utf8)
                return HMAC.areEqual(expected, received) || isAccepted
            }
        }
    }

    private static func signature(of path: String, key: SigningKey) -> String? {
        let code = HMAC.code(of: domain + path.utf8, key: key.bytes)
        return code.isEmpty ? nil : Base64URL.encode(code)
    }
}
