import ArgumentParser
import Kingfisher
import Foundation

struct CacheCleanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean", abstract: "Removes expired entries, and entries above the limit.",
        usage: "kingfisher cache clean [--cache DIR] [--json]",
        discussion: """
            The limit is 1 GiB. If the cache reaches it, the least recently used entries are removed until \
            half of the limit is left.
            """)

    @OptionGroup var options: CacheOptions

    func run() throws {
        try options.withFolder { folder, console in
            let contents = try folder.contents()
            let plan = CleaningPlan(contents.entries.map(\.file), limit: CacheFolder.limit, at: Date())
            let names = plan.names
            let removal = CacheRemoval(contents.entries.filter { names.contains($0.fileName) }, of: folder)
            try removal.report(of: contents, to: console, json: options.json)
        }
    }
}
