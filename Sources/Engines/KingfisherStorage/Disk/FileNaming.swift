import KingfisherDigests

/// Converts cache keys to file names: a digest by default, or the key itself.
///
/// The names are a contract: programs with the same settings find each other's files.
package struct FileNaming: Sendable, Equatable {
    package var pathExtension: String?
    /// Whether a name is the SHA-256 of the key in lower-case hexadecimal digits; otherwise it is the key
    /// itself.
    package var usesHashedFileName: Bool
    /// Whether the extension of the key, if it seems to have one, is appended to the digest.
    package var autoExtAfterHashedFileName: Bool

    package init(
        pathExtension: String? = nil, usesHashedFileName: Bool = true,
        autoExtAfterHashedFileName: Bool = false
    ) {
        self.pathExtension = pathExtension
        self.usesHashedFileName = usesHashedFileName
        self.autoExtAfterHashedFileName = autoExtAfterHashedFileName
    }

    /// The file name for a key.
    ///
    /// A name that would leave the folder or be hidden is percent-encoded. So is a name that looks
    /// percent-encoded, so that two keys never share a file. A name that is still too long becomes a digest.
    package func name(forKey key: String, forcedExtension: String? = nil) -> EntryName {
        let suffix = self.suffix(forKey: key, forcedExtension: forcedExtension)
        // Hexadecimal digits are safe, and nearly every name consists of them.
        if usesHashedFileName, suffix.isEmpty { return EntryName(checked: SHA256.hexDigest(of: key)) }
        let plain = (usesHashedFileName ? SHA256.hexDigest(of: key) : key) + suffix
        let safe = Self.isSafe(plain) ? plain : Self.percentEncoded(plain)
        if Self.fits(safe) { return EntryName(checked: safe) }
        let digest = SHA256.hexDigest(of: key) + suffix
        if Self.isSafe(digest), Self.fits(digest) { return EntryName(checked: digest) }
        return EntryName(checked: SHA256.hexDigest(of: plain))
    }

    private func suffix(forKey key: String, forcedExtension: String?) -> String {
        var found = forcedExtension ?? pathExtension
        if found == nil, usesHashedFileName, autoExtAfterHashedFileName {
            found = Self.pathExtension(ofKey: key)
        }
        return found.map { $0.isEmpty ? "" : "." + $0 } ?? ""
    }

    /// The extension that a key seems to have, ignoring the processor suffix after "@".
    ///
    /// An extension consists of 1 to 20 letters and digits.
    package static func pathExtension(ofKey key: String) -> String? {
        let plain = key.prefix { $0 != "@" }
        guard let dot = plain.lastIndex(of: ".") else { return nil }
        let found = plain[plain.index(after: dot)...]
        guard !found.isEmpty, found.count <= 20, found.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return nil
        }
        return String(found)
    }

    /// Linux's limit on the bytes of a file name.
    static let longestName = 255

    private static func fits(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName
    }

    private static func isSafe(_ name: String) -> Bool {
        let bytes = name.utf8
        if bytes.first == UInt8(ascii: ".") || bytes.starts(with: "%2E".utf8) { return false }
        if bytes.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) { return false }
        return !["%2F", "%00", "%25"].contains { contains(bytes, $0.utf8) }
    }

    private static func contains(_ bytes: String.UTF8View, _ sequence: String.UTF8View) -> Bool {
        var rest = bytes[...]
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[percent...]
            if rest.starts(with: sequence) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    private static func percentEncoded(_ name: String) -> String {
        var encoded: [UInt8] = []
        for (index, byte) in name.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "/"): encoded += "%2F".utf8
            case UInt8(ascii: "%"): encoded += "%25".utf8
            case 0: encoded += "%00".utf8
            case UInt8(ascii: ".") where index == 0: encoded += "%2E".utf8
            default: encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension FileNaming {
    /// Whether a file of this name can be the entry of a key.
    ///
    /// A digest has a fixed form; a key can look like anything except a hidden file.
    func recognizes(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, first != UInt8(ascii: ".") else { return false }
        guard usesHashedFileName else { return true }
        let isDigest =
            bytes.prefix(Self.digestLength).allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
        let suffix = bytes.dropFirst(Self.digestLength)
        return bytes.count >= Self.digestLength && isDigest
            && (suffix.isEmpty || (suffix.first == UInt8(ascii: ".") && suffix.count > 1))
    }

    private static var digestLength: Int { 64 }
}
