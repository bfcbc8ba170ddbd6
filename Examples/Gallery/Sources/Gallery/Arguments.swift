import Foundation

struct Arguments {
    private static let usage = "usage: gallery [--right-to-left] [--exit [--output DIR]]"

    private(set) var output = URL(filePath: "build/demo", directoryHint: .isDirectory)
    /// Whether to walk through the pages, save screenshots and exit, instead of waiting for a user.
    private(set) var exits = false
    /// Whether to mirror the layout, as for Arabic or Hebrew, in any language.
    private(set) var isRightToLeft = false

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--exit": exits = true
            case "--right-to-left": isRightToLeft = true
            case "--output":
                guard let folder = words.next() else {
                    throw Failure("missing folder after --output; \(Self.usage)")
                }
                output = URL(filePath: folder, directoryHint: .isDirectory)
            default: throw Failure("unknown argument \(word); \(Self.usage)")
            }
        }
    }
}
