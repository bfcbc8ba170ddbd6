import Kingfisher
import KingfisherDigests

/// Verifies signatures of imgproxy: HMAC-SHA256 of salt, `/` and path (imgproxy documentation 752e7bb,
/// usage/signing_url).
struct ImgproxySignature {
    private let settings: ImgproxySettings
    private let isOff: Bool

    init(_ settings: ImgproxySettings, signing: ServiceSettings.Signing) {
        self.settings = settings
        isOff = if case .off = signing { true } else { false }
    }

    /// The path after the signature as it was signed: as received, or repaired. Throws 403 if neither
    /// verifies.
    ///
    /// Without keys nothing is verified if signing is off, and everything refused otherwise.
    func verified(_ signature: Substring, _ path: Substring) throws(ServiceError) -> Substring {
        let repaired = Substring(ImgproxyRepair.repaired(path, presets: settings.usesOnlyPresets))
        if settings.keys.isEmpty, isOff { return repaired }
        if isValid(signature, of: path) { return path }
        if repaired != path, isValid(signature, of: repaired) { return repaired }
        throw .invalidSignature
    }

    private func isValid(_ signature: Substring, of path: Substring) -> Bool {
        let size = settings.signatureSize
        // Another size is an error of the settings; a size of 0 would make each signature valid.
        guard size == 8 || (16...32).contains(size) else { return false }
        let message = Array("/".utf8) + Array(path.utf8)
        let expected = settings.keys.map { pair -> String in
            // Anyone can compute the code of an empty key.
            guard !pair.key.isEmpty else { return "" }
            return Base64URL.encode(Array(HMAC.code(of: pair.salt + message, key: pair.key).prefix(size)))
        }
        return CompatibleSignature.matches(signature, expected)
    }
}
