import Foundation

/// A file with settings: lines `name = value`, empty lines, and comments after `#` at the start of a line.
///
/// `#` within a line belongs to the value, because colours have it.
struct SettingFile {
    private(set) var settings = SettingEntries()

    private static let maximumBytes = 1 << 20

    /// Reads the file that an entry of `config` names.
    init(_ entry: SettingEntry) {
        let url = URL(filePath: entry.text).standardizedFileURL
        guard let data = Self.contents(of: url) else {
            settings.problems.append(
                entry.problem("\(SettingText.quoted(entry.text)) is not a file that can be read."))
            return
        }
        guard data.count <= Self.maximumBytes, let text = String(data: data, encoding: .utf8) else {
            settings.problems.append(entry.problem("The file is not text (UTF-8) of at most 1 MiB."))
            return
        }
        read(text, path: entry.text, folder: url.deletingLastPathComponent())
    }

    /// `path` is for messages, and relative paths start in `folder`.
    private mutating func read(_ text: String, path: String, folder: URL) {
        let lines = text.drop { $0 == "\u{FEFF}" }.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let line = line.trimmedSpaces
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let origin = SettingOrigin.file(path: path, line: index + 1)
            guard let sign = line.firstIndex(of: "=") else {
                settings.problems.append(SettingProblem(origin, "", "A line is name = value."))
                continue
            }
            let name = line[..<sign].trimmedSpaces
            guard SettingName.find(name)?.definition.kind != .configuration else {
                settings.problems.append(SettingProblem(origin, name, "A file names no other file."))
                continue
            }
            settings.add(name, line[line.index(after: sign)...].trimmedSpaces, origin, folder: folder)
        }
    }

    private static func contents(of url: URL) -> Data? {
        guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
        return try? handle.read(upToCount: maximumBytes + 1) ?? Data()
    }
}
