import ArgumentParser
import Kingfisher
import Foundation

struct CacheInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Prints the folder and size of the cache.",
        usage: "kingfisher cache info [--cache DIR] [--json]")

    @OptionGroup var options: CacheOptions

    func run() throws {
        try options.withFolder { folder, console in
            let contents = try folder.contents()
            let summary = CacheSummary(contents.entries.map(\.file), at: Date())
            let foreign = contents.foreignNames.count
            if options.json {
                console.print(Self.json(folder.path, summary, foreign))
            } else {
                for line in Self.lines(folder.path, summary, foreign) { console.print(line) }
            }
        }
    }

    private static func json(_ path: String, _ summary: CacheSummary, _ foreign: Int) -> JSONLine {
        JSONLine([
            "folder": .text(path),
            "entries": .whole(summary.entries),
            "bytes": .whole(summary.bytes),
            "limit": .whole(CacheFolder.limit),
            "expired": .whole(summary.expired),
            "oldestUse": .moment(summary.oldestUse),
            "newestUse": .moment(summary.newestUse),
            "foreign": .whole(foreign),
        ])
    }

    private static func lines(_ path: String, _ summary: CacheSummary, _ foreign: Int) -> [String] {
        let use: (Date?) -> String = { $0?.text ?? "-" }
        return [
            "folder      \(path)",
            "entries     \(summary.entries), of which expired \(summary.expired)",
            "bytes       \(summary.bytes) of at most \(CacheFolder.limit)",
            "oldest use  \(use(summary.oldestUse))",
            "newest use  \(use(summary.newestUse))",
            "foreign     \(foreign)",
        ]
    }
}
