import Glibc

/// Where images go.
enum OutputTarget: Hashable, Sendable {
    case standardOutput
    /// The path of a file, as given.
    case file(String)
    /// The path of a folder, without a slash at its end; nil is the current one. Each image gets
    /// a name of its own.
    case folder(String?)

    /// Reads `-o`; without it images go to the current folder.
    ///
    /// A path means a folder when it ends in a slash, when it is one already (`isFolder`), or when there are
    /// several images to write; the name of an image is then refused, for a file was meant.
    init(_ path: String?, sources: Int, isFolder: (String) -> Bool) throws(OutputTargetError) {
        guard let path else {
            self = .folder(nil)
            return
        }
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .empty }
        if path == "-" {
            guard sources == 1 else { throw .severalToStandardOutput }
            self = .standardOutput
        } else if path.hasSuffix("/") || sources > 1 || isFolder(path) {
            if sources > 1, !path.hasSuffix("/"), OutputFormat(extension: Self.suffix(of: path) ?? "") != nil,
                !isFolder(path)
            {
                throw .severalToOneFile(path)
            }
            let trimmed = path.drop(fromEnd: "/")
            self = .folder(trimmed.isEmpty ? "/" : trimmed)
        } else {
            self = .file(path)
        }
    }

    /// The path of a file in a folder's path.
    static func path(of name: String, in folder: String?) -> String {
        guard let folder else { return name }
        return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// The folder that files are written to, for a link that of the file it leads to; nil for standard output
    /// and for devices.
    var folder: String? {
        switch self {
        case .standardOutput: return nil
        case .file(let path):
            guard let status = path.fileStatus else { return path.folderAndName.folder }
            return status.st_mode & S_IFMT == S_IFREG ? path.realPath?.folderAndName.folder : nil
        case .folder(let path): return path ?? "."
        }
    }

    /// The format that a file's extension asks for; nil where the name leaves it open.
    var format: OutputFormat? {
        get throws(OutputTargetError) {
            guard case .file(let path) = self else { return nil }
            guard let suffix = Self.suffix(of: path) else { return nil }
            guard let format = OutputFormat(extension: suffix) else { throw .unknownExtension(suffix) }
            return format
        }
    }

    /// What stands behind the last dot of a file's name; nil where the name has none, or only begins with it.
    private static func suffix(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        return String(name[name.index(after: dot)...])
    }
}

/// Why a text names no output.
enum OutputTargetError: Error, Hashable, CustomStringConvertible {
    case empty
    case severalToStandardOutput
    case severalToOneFile(String)
    case unknownExtension(String)

    var description: String {
        switch self {
        case .empty: "-o needs a path"
        case .severalToStandardOutput: "-o - takes one SOURCE, for images cannot share standard output"
        case .severalToOneFile(let path):
            "-o \(path.forMessages) is the name of one image; several SOURCEs go to a folder"
        case .unknownExtension(let text):
            "no format is known by the extension '\(text)'; say -f \(OutputFormat.listing)"
        }
    }
}

extension String {
    fileprivate func drop(fromEnd character: Character) -> String {
        var result = self
        while result.last == character { result.removeLast() }
        return result
    }
}
