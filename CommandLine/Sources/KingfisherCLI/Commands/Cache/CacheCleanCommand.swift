import ArgumentParser
import Kingfisher
import Foundation

/// `kingfisher cache clean`: removes what the library would remove by itself in time.
struct CacheCleanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean", abstract: "Removes entries that have expired, and those above the limit.",
        usage: "kingfisher cache clean [--cache DIR] [--json]",
        discussion: """
            The limit is 1 GiB. A cache that reaches it loses what was unused for longest, down to half of it.
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
