import Foundation
import Kingfisher

/// Edits files in place, or writes the edited ones elsewhere.
struct FileEditor: Sendable {
    let change: MetadataChange
    /// Nil in place.
    let writer: ImageWriter?
    let follows: Bool
    let keepsTime: Bool

    /// Removes temporary files of killed runs.
    func removeLeftovers(besides files: [String]) {
        guard writer == nil else { return }
        for folder in Set(files.map { $0.folderAndName.folder }) { LeftoverFiles.remove(from: folder) }
    }

    func edit(_ path: String, index: Int) throws -> EditLine {
        let original = try OriginalFile(path, mayBeLink: follows || writer != nil)
        let changed = try change.applied(to: original.bytes)
        let isChanged = changed.bytes != original.bytes
        var output = path
        if let writer {
            let encoded = OutputEncoding.Encoded(bytes: changed.bytes, format: changed.format)
            output = try writer.write(encoded, index: index) { file throws(SystemError) in
                if keepsTime { try original.keepTime(of: file) }
            }.path
        } else if isChanged {
            guard follows || original.names == 1 else { throw EditRefusal.severalNames }
            try original.replace(with: changed.bytes, keepingTime: keepsTime)
        }
        return EditLine(file: path, output: output, isChanged: isChanged, changed: changed)
    }
}

enum EditRefusal: Error, Hashable {
    /// The file is a symbolic link.
    case symbolicLink
    /// The file has other names, which would keep the old metadata.
    case severalNames
    /// Another program has changed the file after it was read.
    case hasChanged
}

struct EditLine: Sendable {
    let file: String
    let output: String
    let isChanged: Bool
    let changed: MetadataChange.Changed

    var json: JSONLine {
        JSONLine([
            "file": .source(file), "output": .text(output), "changed": .truth(isChanged),
            "format": .text(changed.format.name), "orientation": .text("\(changed.orientation)"),
            "bytes": .whole(changed.bytes.count),
        ])
    }

    var text: String {
        "\(output): \(isChanged ? "changed" : "unchanged"), \(changed.format.name), orientation "
            + "\(changed.orientation), \(changed.bytes.count) bytes"
    }
}
