import Kingfisher

/// The manual page, in mdoc(7).
public enum SettingsManual {
    /// The date of the page, of the last change of its text.
    static let date = "November 28, 2026"

    /// `Service/docs/kingfisher-server.1`.
    public static func page() -> String {
        let sections = [header, description, settings, files, exits, examples]
        return sections.flatMap { $0 }.joined(separator: "\n") + "\n"
    }

    private static let header = [
        ".Dd \(date)", ".Dt KINGFISHER-SERVER 1", ".Os kingfisher \(kingfisherVersion)", ".Sh NAME",
        ".Nm kingfisher-server", ".Nd serve resized images over HTTP", ".Sh SYNOPSIS",
        ".Nm", ".Op Cm serve", ".Op Fl -NAME Ar value ...",
        ".Nm", ".Cm check", ".Op Fl -NAME Ar value ...",
        ".Nm", ".Cm sign", ".Op Fl -NAME Ar value ...", ".Ar path",
        ".Nm", ".Cm health", ".Op Fl -NAME Ar value ...",
        ".Nm", ".Cm tier", ".Cm info | remove Ar url ... | Cm invalidate Ar tag ...",
        ".Nm", ".Cm import-imgproxy", ".Op Ar file", ".Nm", ".Fl -help | -version",
    ]

    private static var description: [String] {
        let commands = SettingsHelp.commands.flatMap { usage, text in
            let words = usage.replacing("...", with: " ...").split(separator: " ").map { word in
                word.allSatisfy(\.isUppercase)
                    ? "Ar \(word.lowercased())" : word == "..." ? "..." : "Cm \(word)"
            }
            return [".It \(words.joined(separator: " "))"] + Roff.text(text)
        }
        return [".Sh DESCRIPTION", ".Nm"]
            + Roff.text(
                "fetches images, makes them smaller, and serves them in the format that the client accepts.")
            + Roff.text("URLs are signed, only public addresses are fetched, and decoders are isolated.")
            + [".Pp", "Commands:", ".Bl -tag -width import-imgproxy"] + commands + [".El"]
    }

    private static var settings: [String] {
        var lines = [".Sh SETTINGS"]
        for paragraph in SettingsText.rules { lines += Roff.text(paragraph) + [".Pp"] }
        lines += Roff.text(units)
        for group in ServerSettingDefinition.groups {
            lines += [".Ss \(group.title)", ".Bl -tag -width Ds"]
            for setting in group.settings {
                lines.append(".It Fl -\(Roff.escaped(setting.name))")
                lines += Roff.text(setting.summary)
                let initial = setting.defaultText.map { " The default is `\($0)`." } ?? ""
                lines += [".br"] + Roff.text("Values: \(setting.range).\(initial)")
            }
            lines.append(".El")
        }
        return lines
    }

    private static let units = """
        Sizes have the units `B`, `kB`, `KiB`, `MB`, `MiB`, `GB`, `GiB`, `TB` and `TiB`, durations `s`, `min`, \
        `h` and `d`, and pixels `MP`. Without a unit, a value is in bytes, seconds or pixels.
        """

    private static var files: [String] {
        [".Sh FILES"] + Roff.text(SettingsText.secrets)
    }

    private static let exits =
        [".Sh EXIT STATUS", ".Bl -tag -width Ds", ".It 0"]
        + Roff.text("The command succeeded, or the server has stopped after a signal.") + [".It 1"]
        + Roff.text("A setting is wrong, or the server could not start; standard error gives the reasons.")
        + [".It 2"] + Roff.text("Wrong usage.") + [".El"]

    private static let examples =
        [".Sh EXAMPLES"] + Roff.text("A server on this computer, with a key that it makes:")
        + [".Pp", ".Dl kingfisher-server --development", ".Pp"]
        + Roff.text("A key, a check of the settings, and a signed path:")
        + [
            ".Bd -literal -offset indent", "(umask 077; openssl rand -hex 32 > signing-keys)",
            "echo 'signing-keys-file = signing-keys' > server.conf",
            "kingfisher-server check --config server.conf",
            "kingfisher-server sign --config server.conf \\e",
            "    /fit:300x300/plain/https://example.com/a.jpg",
            ".Ed", ".Sh SEE ALSO", ".Xr kingfisher 1 ,", ".Xr systemd.exec 5",
        ]
}

/// Text for roff.
enum Roff {
    /// Lines of a text, each sentence on new ones; text between backticks is literal.
    static func text(_ text: String) -> [String] {
        let words = text.split(whereSeparator: \.isWhitespace)
        var sentences: [[Substring]] = [[]]
        for (index, word) in words.enumerated() {
            sentences[sentences.count - 1].append(word)
            let startsNext = index + 1 < words.count && words[index + 1].first?.isUppercase == true
            if word.last == ".", startsNext { sentences.append([]) }
        }
        return sentences.flatMap { TextLayout.wrapped($0.joined(separator: " "), 76) }.map(line)
    }

    private static func line(_ text: String) -> String {
        let line = escaped(text.replacing("`", with: ""))
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += "\\e"
            case "~": escaped += "\\(ti"
            case "^": escaped += "\\(ha"
            case "-": escaped += "\\-"
            case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped += "\\[u" + String(repeating: "0", count: max(4 - digits.count, 0)) + digits + "]"
            }
        }
    }
}
