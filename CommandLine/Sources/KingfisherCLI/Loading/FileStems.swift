import Foundation

/// Unique file names, without extension, for images in a folder.
///
/// Names are assigned before the images load, in the order of the sources, so that a command always produces
/// the same names.
struct FileStems {
    private var taken: Set<String>
    private let keepsExtensions: Bool

    /// Avoids the names of `files`, which are in the output folder. `keepsExtensions`: images get the
    /// extensions of their sources, so that `a.png` and `a.jpg` have different names.
    init(avoiding files: [URL] = [], keepsExtensions: Bool = false) {
        self.keepsExtensions = keepsExtensions
        taken = []
        for file in files {
            let name = keepsExtensions ? file : file.deletingPathExtension()
            taken.insert(name.lastPathComponent.lowercased())
        }
    }

    /// The name for `source`: its last path component, or a hash if that is unusable.
    mutating func stem(for source: SourceArgument) -> String {
        let base = Self.baseName(for: source)
        var stem = base
        var number = 1
        // Lower case, because some file systems are case-insensitive.
        while !taken.insert((stem + suffix(of: source)).lowercased()).inserted {
            number += 1
            stem = "\(base)-\(number)"
        }
        return stem
    }

    private func suffix(of source: SourceArgument) -> String {
        guard keepsExtensions, case .file(let url) = source, !url.pathExtension.isEmpty else { return "" }
        return ".\(url.pathExtension)"
    }

    private static func baseName(for source: SourceArgument) -> String {
        switch source {
        case .remote(let url), .frame(let url, _):
            clean(url.lastPathComponent) ?? hash(Data(url.absoluteString.utf8))
        case .file(let url):
            clean(url.lastPathComponent) ?? hash(Data(url.path.utf8))
        case .standardInput:
            "image"
        case .inline(let bytes):
            hash(bytes)
        }
    }

    /// The component without its extension and without characters that could leave the folder, hide the file
    /// or break a line.
    static func clean(_ component: String) -> String? {
        let forbidden: Set<Character> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]
        var kept = String(
            component.drop { $0 == "." || $0 == "-" }.map { character in
                let unsafe = character.unicodeScalars.contains { $0.escape != nil && $0.rawByte == nil }
                return unsafe || forbidden.contains(character) ? "_" : character
            })
        if let dot = kept.lastIndex(of: "."), dot > kept.startIndex { kept = String(kept[..<dot]) }
        // Most file systems allow 255 bytes; a number, an extension and a temporary suffix are added.
        while kept.utf8.count > 160 { kept.removeLast() }
        return kept.allSatisfy { $0 == "_" } ? nil : kept
    }

    /// 64-bit FNV-1a in hexadecimal; not for security.
    private static func hash(_ bytes: Data) -> String {
        let value = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
