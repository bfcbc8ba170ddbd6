import Foundation

struct Arguments {
    private(set) var output = URL(filePath: "build/demo", directoryHint: .isDirectory)
    /// Whether to walk through the pages, save screenshots and exit, instead of waiting for a user.
    private(set) var exits = false

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--exit":
                exits = true
            case "--output":
                guard let folder = words.next() else {
                    throw Failure("missing folder after --output; usage: gallery [--exit [--output DIR]]")
                }
                output = URL(filePath: folder, directoryHint: .isDirectory)
            default:
                throw Failure("unknown argument \(word); usage: gallery [--exit [--output DIR]]")
            }
        }
    }
}
