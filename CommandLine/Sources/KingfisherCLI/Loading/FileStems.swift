import Foundation

/// File names without extension for images that go to a folder, each once.
///
/// Names are handed out before anything is loaded, in the order of the sources, so that the same command
/// always gives the same names, whichever image arrives first.
struct FileStems {
    private var taken: Set<String>

    /// Hands out no name that one of `files`, in the folder that is written to, has already.
    init(avoiding files: [URL] = []) {
        taken = Set(files.map { $0.deletingPathExtension().lastPathComponent.lowercased() })
    }

    /// The name for `source`: its last path component, or a hash where that says nothing.
    mutating func stem(for source: SourceArgument) -> String {
        let wish = Self.wish(for: source)
        var stem = wish
        var number = 1
        // Lower case, because some file systems do not tell cases apart.
        while !taken.insert(stem.lowercased()).inserted {
            number += 1
            stem = "\(wish)-\(number)"
        }
        return stem
    }

    private static func wish(for source: SourceArgument) -> String {
        switch source {
        case .remote(let url):
            clean(url.lastPathComponent) ?? hash(Data(url.absoluteString.utf8))
        case .file(let url):
            clean(url.lastPathComponent) ?? hash(Data(url.path.utf8))
        case .inline(let bytes):
            hash(bytes)
        }
    }

    /// The component without its extension and without what could leave the folder, hide or break a line.
    static func clean(_ component: String) -> String? {
        let forbidden: Set<Character> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]
        var kept = String(
            component.drop { $0 == "." || $0 == "-" }.map { character in
                let unsafe = character.unicodeScalars.contains { $0.escape != nil && $0.rawByte == nil }
                return unsafe || forbidden.contains(character) ? "_" : character
            })
        if let dot = kept.lastIndex(of: "."), dot > kept.startIndex { kept = String(kept[..<dot]) }
        // Most file systems hold 255 bytes; a number, an extension and a temporary suffix need room, too.
        while kept.utf8.count > 160 { kept.removeLast() }
        return kept.allSatisfy { $0 == "_" } ? nil : kept
    }

    /// 64-bit FNV-1a in hexadecimal: a name, not a protection.
    private static func hash(_ bytes: Data) -> String {
        let value = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
