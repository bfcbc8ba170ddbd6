/// The text of `--help`.
public enum SettingsHelp {
    /// The commands with their arguments and a sentence.
    static let commands = [
        ("serve", "Serves images; the default."),
        ("check", "Reads the settings, and prints ok or what is wrong with them."),
        ("sign PATH", "Prints a path such as /fit:300x300/plain/https://example.com/a.jpg with a signature."),
        ("health", "Succeeds if a server with these settings responds on this machine."),
        ("tier info", "Prints the nodes of the shared cache."),
        ("tier remove URL...", "Removes the results of sources from the shared cache."),
        ("tier invalidate TAG...", "Removes the results with tags from the shared cache."),
        (
            "import-imgproxy FILE",
            "Prints settings for what IMGPROXY_ variables of a file say; without it, of the environment."
        ),
    ]

    static let usage = "usage: kingfisher-server [COMMAND] [--NAME VALUE]..."

    /// The text of `--help`, at most `width` columns if words allow it.
    public static func text(width: Int = 100) -> String {
        var lines = [usage, ""]
        lines += commands.flatMap { row($0.0, $0.1, width) }
        lines += ["", "  --help, --version"]
        lines += [""] + TextLayout.wrapped(introduction, width)
        for (title, settings) in ServerSettingDefinition.groups {
            lines += ["", "\(title):"]
            for setting in settings {
                let initial = setting.defaultText.map { " Default: \($0)." } ?? ""
                lines += row(
                    "--" + setting.name, "\(setting.summary) Values: \(setting.range).\(initial)", width)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static let introduction = """
        Settings are also lines "name = value" of the file that --config names, and variables such as \
        KINGFISHER_MAX_FRAMES. A flag has precedence over a variable, and a variable over the file.
        """

    private static func row(_ name: String, _ text: String, _ width: Int) -> [String] {
        let column = 27
        let lines = TextLayout.wrapped(text, max(width - column, 24))
        let head = "  " + name
        let indentation = String(repeating: " ", count: column)
        guard head.count < column, let first = lines.first else {
            return [head] + lines.map { indentation + $0 }
        }
        let padding = String(repeating: " ", count: column - head.count)
        return [head + padding + first] + lines.dropFirst().map { indentation + $0 }
    }
}

/// Layout of texts in columns.
enum TextLayout {
    /// Lines of at most `width` characters, if words allow it.
    static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
