import KingfisherService

/// The contents of files with secrets.
extension SettingValue {
    /// One to four lines of hexadecimal digits, each at least 32 bytes.
    func signingKeys(_ warnings: inout [String]) throws(SettingReason) -> [SigningKey] {
        let lines = try secretLines(&warnings)
        guard (1...4).contains(lines.count) else {
            throw SettingReason("The file has \(lines.count) lines with keys, not 1 to 4.")
        }
        var keys: [SigningKey] = []
        for (index, line) in lines.enumerated() {
            guard let bytes = HexText.bytes(line), let key = SigningKey(bytes) else {
                throw SettingReason(
                    "Key \(index + 1) is not at least 64 hexadecimal digits; openssl rand -hex 32 makes one.")
            }
            keys.append(key)
        }
        return keys
    }

    /// Lines `KEY SALT` in hexadecimal digits.
    func imgproxyKeys(_ warnings: inout [String]) throws(SettingReason) -> [ImgproxySettings.KeyPair] {
        let lines = try secretLines(&warnings)
        guard !lines.isEmpty else { throw SettingReason("The file has no line KEY SALT.") }
        var pairs: [ImgproxySettings.KeyPair] = []
        for (index, line) in lines.enumerated() {
            let parts = line.split { $0 == " " || $0 == "\t" }.map { HexText.bytes($0) }
            guard parts.count == 2, let key = parts[0], let salt = parts[1] else {
                throw SettingReason("Pair \(index + 1) is not KEY SALT in hexadecimal digits.")
            }
            pairs.append(.init(key: key, salt: salt))
        }
        return pairs
    }

    /// One line.
    func secretLine(atLeast minimum: Int, _ warnings: inout [String]) throws(SettingReason) -> String {
        let lines = try secret(&warnings).split(whereSeparator: \.isNewline).map(\.trimmedSpaces)
            .filter { !$0.isEmpty }
        guard lines.count == 1, let line = lines.first, line.unicodeScalars.count >= minimum,
            line.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            let length = minimum > 1 ? " of at least \(minimum) characters" : ""
            throw SettingReason("The file is not one line\(length), printable ASCII without spaces.")
        }
        return line
    }
}
