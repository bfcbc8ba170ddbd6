import KingfisherDigests

/// Texts of signatures, compared in a time that depends only on their lengths.
enum CompatibleSignature {
    /// Whether `signature` is one of `expected`, none of which is empty.
    static func matches(_ signature: Substring, _ expected: [String]) -> Bool {
        let bytes = Array(signature.utf8)
        var isValid = false
        for text in expected {
            // Before the disjunction, which would skip it after a match.
            let isEqual = HMAC.areEqual(bytes, Array(text.utf8))
            isValid = isValid || (isEqual && !text.isEmpty)
        }
        return isValid
    }
}
