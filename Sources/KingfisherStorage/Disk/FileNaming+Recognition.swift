extension FileNaming {
    /// Whether a file of this name can be an entry, whatever its key was.
    ///
    /// A digest tells itself from other names; a key can look like anything but a hidden file.
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

    /// Hexadecimal digits of a SHA-256.
    private static var digestLength: Int { 64 }
}
