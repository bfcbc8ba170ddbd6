import Glibc

enum OutputTarget: Hashable, Sendable {
    case standardOutput
    case file(String)
    /// The path of a folder without a final slash; nil for the current folder. Each image gets a unique name.
    case folder(String?)

    /// Parses the value of `-o`; without one, images are written to the current folder.
    ///
    /// A path is a folder if it ends in a slash, if it exists as a folder (`isFolder`), or if there are
    /// several images. In the last case an image's extension is an error, because a file was probably meant.
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
            if sources > 1, !path.hasSuffix("/"), OutputFormat(extension: path.fileExtension) != nil,
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

    static func path(of name: String, in folder: String?) -> String {
        guard let folder else { return name }
        return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// The folder of the output, after following links; nil for standard output and devices.
    var folder: String? {
        switch self {
        case .standardOutput: return nil
        case .file(let path):
            guard let status = path.fileStatus else { return path.folderAndName.folder }
            return status.st_mode & S_IFMT == S_IFREG ? path.realPath?.folderAndName.folder : nil
        case .folder(let path): return path ?? "."
        }
    }

    /// The format of the file extension; nil without one.
    var format: OutputFormat? {
        get throws(OutputTargetError) {
            guard case .file(let path) = self else { return nil }
            let suffix = path.fileExtension
            guard !suffix.isEmpty else { return nil }
            guard let format = OutputFormat(extension: suffix) else { throw .unknownExtension(suffix) }
            return format
        }
    }
}

enum OutputTargetError: Error, Hashable, CustomStringConvertible {
    case empty
    case severalToStandardOutput
    case severalToOneFile(String)
    case unknownExtension(String)

    var description: String {
        switch self {
        case .empty: "-o requires a path"
        case .severalToStandardOutput: "-o - takes only one SOURCE"
        case .severalToOneFile(let path):
            "-o \(path.forMessages) is a file name; several SOURCEs require a folder, such as \(path.forMessages)/"
        case .unknownExtension(let text):
            "unknown file extension '\(text)'; select a format with -f: \(OutputFormat.listing)"
        }
    }
}

extension String {
    /// The extension of a path; empty if the name has none, or is a hidden file.
    var fileExtension: String {
        let name = split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }

    fileprivate func drop(fromEnd character: Character) -> String {
        var result = self
        while result.last == character { result.removeLast() }
        return result
    }
}
