import Foundation

/// The name below an image.
enum CellName {
    /// The last component of a path or URL, without what could identify a user, as one line: control
    /// characters and bytes that are not UTF-8 are escaped.
    static func text(of source: String) -> String {
        let name: String
        switch try? SourceArgument(source, relativeTo: .currentFolder) {
        case .remote(let url), .file(let url): name = component(of: url)
        case .frame(let url, let seconds): name = "\(component(of: url))#t=\(seconds)"
        case .standardInput: name = "-"
        case .inline: name = "data:"
        case nil: name = source.redactedSource.folderAndName.name
        }
        return name.escaped
    }

    private static func component(of url: URL) -> String {
        let name = url.lastPathComponent
        return name.isEmpty || name == "/" ? url.host() ?? "/" : name
    }

    /// The text, or its beginning and its end with an ellipsis between them, in at most `limit` characters.
    static func shortened(_ text: String, to limit: Int) -> String {
        let limit = max(limit, 3)
        guard text.count > limit else { return text }
        // Names of a series often differ at their ends.
        let tail = (limit - 1) / 2
        return "\(text.prefix(limit - 1 - tail))…\(text.suffix(tail))"
    }
}
