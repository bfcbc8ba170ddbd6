/// The page with all settings, and the example of a file.
public enum SettingsPage {
    /// `Service/docs/settings.md`.
    public static func markdown() -> String {
        var lines = [
            "# Settings of kingfisher-server", "",
            "Made from the table of settings by `kingfisher-server print-settings`; do not edit.", "",
        ]
        lines += SettingsText.rules.flatMap { paragraph in
            [TextLayout.wrapped(paragraph, 108).joined(separator: "\n"), ""]
        }
        lines += ["## Units", "", SettingsText.units, ""]
        for group in ServerSettingDefinition.groups {
            lines += ["## \(group.title)", "", markdownTable(group.settings), ""]
        }
        lines += [
            "## Files with secrets", "",
            TextLayout.wrapped(SettingsText.secrets, 108).joined(separator: "\n"),
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// A table of settings with name, default, values and meaning.
    public static func markdownTable(_ settings: [ServerSettingDefinition] = ServerSettingDefinition.all)
        -> String
    {
        let rows = settings.map { setting in
            let cells = [
                "`\(setting.name)`", setting.defaultText.map { "`\($0)`" } ?? "–", setting.range,
                setting.summary,
            ]
            return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
        return (["| name | default | values | meaning |", "| --- | --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }

    /// `Service/docs/kingfisher-server.conf`: every setting as a comment, with its default.
    public static func example() -> String {
        var lines = [
            "# Settings of kingfisher-server; see kingfisher-server(1).",
            "# A line is name = value. Lines that start with # are comments.",
        ]
        for group in ServerSettingDefinition.groups {
            lines += ["", "## \(group.title)"]
            for setting in group.settings where setting.kind != .configuration {
                lines +=
                    [""]
                    + TextLayout.wrapped("\(setting.summary) Values: \(setting.range).", 96).map { "# \($0)" }
                lines.append("#\(setting.name) = \(setting.exampleText)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ServerSettingDefinition {
    /// A value for the example: the default, or what a person would write.
    var exampleText: String {
        let examples = [
            "signing-keys-file": "/etc/kingfisher/signing-keys", "preset.NAME": "fit:300x300/quality:70",
            "imgproxy-keys-file": "/etc/kingfisher/imgproxy-keys", "imgproxy-watermark": "logo",
            "thumbor-key-file": "/etc/kingfisher/thumbor-key", "source-base": "https://example.com/photos/",
            "folder": "/srv/images", "s3-endpoint": "https://s3.example.com",
            "s3-credentials-file": "/etc/kingfisher/s3-credentials", "quality.FORMAT": "80",
            "watermark.NAME": "/etc/kingfisher/logo.png", "fallback.NAME": "/etc/kingfisher/grey.png",
            "cache-folder": "/var/cache/kingfisher-server", "shared": "redis://127.0.0.1:6379",
            "memory-budget": "256 MiB", "queue": "72", "connections-per-client": "1024",
            "decoder": "/usr/libexec/kingfisher-decoder", "purge-token-file": "/etc/kingfisher/purge-token",
            "cors": "*", "timing-allow-origin": "*",
        ]
        return examples[name] ?? defaultText ?? ""
    }
}
