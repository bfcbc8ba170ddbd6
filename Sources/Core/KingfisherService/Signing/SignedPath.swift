/// A path below the prefix, split at its signature: `[info/]SIGNATURE/REST`.
struct SignedPath {
    static let information = "info"

    let kind: ServiceRequest.Kind
    let signature: Substring
    /// From the slash after the signature.
    let rest: Substring

    /// `path` has no slash at its start. Nil if there is no slash after the signature.
    init?(_ path: Substring) {
        var unread = path
        var kind = ServiceRequest.Kind.image
        if let (first, rest) = ByteText.cut(path, at: "/"), ByteText.areEqual(first, Self.information) {
            (kind, unread) = (.information, rest)
        }
        guard let slash = unread.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        (self.kind, signature, rest) = (kind, unread[..<slash], unread[slash...])
    }

    /// The rest in the form that the signer verifies; nil if the signature is invalid.
    func verified(by signer: NativeSigner) -> VerifiedPath? {
        let start = kind == .information ? "/" + Self.information : ""
        if signer.accepts(signature, of: start + rest) { return VerifiedPath(rest) }
        guard let repaired = PathRepair(rest).repaired, signer.accepts(signature, of: start + repaired.text)
        else { return nil }
        return repaired
    }
}

/// The text whose signature is valid, the only one that is parsed.
struct VerifiedPath {
    /// From the slash after the signature.
    let text: String
    /// For each byte, the offset in the received text; nil if the texts are equal.
    private let origins: [Int]?

    init(_ text: Substring) { (self.text, origins) = (String(text), nil) }

    /// `origins` has an element for each byte.
    init(_ bytes: [UInt8], origins: [Int]) {
        (text, self.origins) = (String(decoding: bytes, as: UTF8.self), origins)
    }

    /// The offset in the received text of the character at `index`.
    func offset(of index: String.Index) -> Int {
        let offset = text.utf8.distance(from: text.startIndex, to: index)
        guard let origins else { return offset }
        return offset < origins.count ? origins[offset] : (origins.last ?? -1) + 1
    }
}
