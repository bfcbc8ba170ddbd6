import ArgumentParser
import Foundation
import Kingfisher

struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists name, size and times of all entries, most recently used first.",
        usage: "kingfisher cache list [--cache DIR] [--json]",
        discussion: """
            File names are hashes of sources; kingfisher cache path prints the file of a source. Times are UTC.
            """)

    @OptionGroup var options: CacheOptions

    func run() throws {
        try options.withFolder { folder, console in
            let now = Date()
            let entries = try folder.contents().entries.sorted {
                ($1.lastAccess, $0.fileName) < ($0.lastAccess, $1.fileName)
            }
            if options.json {
                for entry in entries { console.print(Self.json(entry, at: now)) }
            } else {
                for line in Self.table(entries, at: now) { console.print(line) }
            }
        }
    }

    private static func json(_ entry: DiskStorage.Entry, at now: Date) -> JSONLine {
        JSONLine([
            "file": .text(entry.fileName),
            "bytes": .whole(entry.byteCount),
            "stored": .moment(entry.storedAt),
            "expires": .moment(entry.neverExpires ? nil : entry.expiration),
            "used": .moment(entry.lastAccess),
            "expired": .truth(entry.isExpired(at: now)),
        ])
    }

    private static func table(_ entries: [DiskStorage.Entry], at now: Date) -> [String] {
        guard !entries.isEmpty else { return [] }
        let bytes = ["bytes"] + entries.map { String($0.byteCount) }
        let names = ["file"] + entries.map { $0.fileName.forMessages }
        let stored = ["stored"] + entries.map { $0.storedAt?.text ?? "unknown" }
        let expires =
            ["expires"]
            + entries.map {
                $0.isExpired(at: now) ? "expired" : $0.neverExpires ? "never" : $0.expiration.text
            }
        let used = ["used"] + entries.map(\.lastAccess.text)
        let columns = [padded(names), padded(bytes, atStart: true), padded(stored), padded(expires), used]
        return names.indices.map { row in columns.map { $0[row] }.joined(separator: "  ") }
    }

    private static func padded(_ cells: [String], atStart: Bool = false) -> [String] {
        let width = cells.map(\.count).max() ?? 0
        return cells.map { cell in
            let spaces = String(repeating: " ", count: width - cell.count)
            return atStart ? spaces + cell : cell + spaces
        }
    }
}

extension DiskStorage.Entry {
    fileprivate var neverExpires: Bool { expiration == .distantFuture }
}
