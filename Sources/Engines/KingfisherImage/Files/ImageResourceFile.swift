package import Foundation

/// Finds the file of an image among the resources of a program.
package enum ImageResourceFile {
    /// The file with this name, with or without an extension, in the first folder that has one.
    ///
    /// A file for `scale` (`logo@2x.png` for 2) is preferred, then files for larger scales, then smaller.
    /// Without `scale`, only the name itself counts.
    package static func find(_ name: String, in folders: [URL], scale: CGFloat? = nil) -> URL? {
        let names = scale.map { Self.names(name, scale: $0) } ?? [name]
        let candidates = names.flatMap { name in
            [name] + ImageCodecs.fileExtensions.map { "\(name).\($0)" }
        }
        return folders.lazy.flatMap { folder in
            candidates.lazy.map { folder.appendingPathComponent($0) }
        }.first { isFile($0) }
    }

    private static func names(_ name: String, scale: CGFloat) -> [String] {
        let fileExtension = (name as NSString).pathExtension
        let isKnown = ImageCodecs.format(forFileExtension: fileExtension) != nil
        let stem = isKnown ? (name as NSString).deletingPathExtension : name
        let scales: [Int] =
            switch scale {
            case ...1: [1, 2, 3]
            case ...2: [2, 3, 1]
            default: [3, 2, 1]
            }
        return scales.map { scale in
            let suffix = scale == 1 ? "" : "@\(scale)x"
            return isKnown ? "\(stem)\(suffix).\(fileExtension)" : stem + suffix
        }
    }

    private static func isFile(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    }
}
