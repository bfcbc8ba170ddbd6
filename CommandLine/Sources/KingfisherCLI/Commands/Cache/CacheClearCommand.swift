import ArgumentParser
import Kingfisher

/// `kingfisher cache clear`: removes all entries.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Removes all entries, without asking.",
        usage: "kingfisher cache clear [--cache DIR] [--json]",
        discussion: "The folder stays, and so does what the cache did not put there.")

    @OptionGroup var options: CacheOptions

    func run() throws {
        try options.withFolder { folder, console in
            let contents = try folder.contents()
            let removal = CacheRemoval(contents.entries, of: folder)
            try removal.report(of: contents, to: console, json: options.json)
        }
    }
}
