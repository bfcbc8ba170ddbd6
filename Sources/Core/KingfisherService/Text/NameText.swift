/// Names of presets, images and tags: `[A-Za-z0-9._-]{1,64}`.
enum NameText {
    static func isValid(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
    }

    /// Names separated by commas; nil if one is malformed or there are too many.
    static func list(_ text: Substring, maximum: Int) -> [String]? {
        let names = ByteText.split(text, at: ",")
        guard names.count <= maximum, names.allSatisfy({ isValid($0) }) else { return nil }
        return names.map(String.init)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ByteText.isAlphanumeric(byte) || "._-".utf8.contains(byte)
    }
}
