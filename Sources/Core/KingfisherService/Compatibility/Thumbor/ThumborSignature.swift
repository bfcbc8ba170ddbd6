import Foundation
import KingfisherDigests

/// Verifies signatures of thumbor: an HMAC of the path after the signature and its slash, in Base64 for URLs
/// with padding, which imagor may truncate.
struct ThumborSignature {
    /// The characters of 8 bytes.
    private static let shortestLength = 11

    private let settings: ThumborSettings
    private let isOff: Bool

    init(_ settings: ThumborSettings, signing: ServiceSettings.Signing) {
        self.settings = settings
        isOff = if case .off = signing { true } else { false }
    }

    /// Throws 403 if the signature of a path as received is wrong, or `unsafe` although URLs are signed.
    func verify(_ signature: Substring, _ path: Substring) throws(ServiceError) {
        if isOff, signature == "unsafe" { return }
        guard CompatibleSignature.matches(signature, [expected(path)]) else {
            throw .invalidSignature
        }
    }

    /// Empty if the settings allow no signature.
    private func expected(_ path: Substring) -> String {
        guard !settings.key.isEmpty else { return "" }
        let code = HMAC.code(of: Array(path.utf8), key: settings.key, hash)
        let text = Data(code).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        guard let length = settings.signatureLength else { return text }
        return length >= Self.shortestLength ? String(text.prefix(length)) : ""
    }

    private var hash: HMAC.Hash {
        switch settings.algorithm {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}
