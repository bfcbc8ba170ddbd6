import Foundation

/// Why a value is not accepted: sentences without the name of the setting, and without secrets.
struct SettingReason: Error, Hashable {
    let text: String

    init(_ text: String) { self.text = text }
}

/// Texts in messages.
enum SettingText {
    /// The whole path of a file in quotes.
    static func path(_ url: URL) -> String { "'\(plain(url.path, limit: 4_096))'" }

    /// A value in quotes, see `plain`.
    static func quoted(_ text: some StringProtocol) -> String { "'\(plain(text))'" }

    /// A value as printable ASCII in one line, and not long.
    static func plain(_ text: some StringProtocol, limit: Int = 64) -> String {
        var quoted = text.unicodeScalars.prefix(limit).reduce(into: "") { quoted, scalar in
            quoted.append((0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?")
        }
        if text.unicodeScalars.dropFirst(limit).first != nil { quoted += "..." }
        return quoted
    }

    /// `a, b or c`.
    static func alternatives(_ texts: [String]) -> String {
        guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    var trimmedSpaces: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
        var rest = self[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}
