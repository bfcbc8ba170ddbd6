import ArgumentParser
import Kingfisher

struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Removes all entries without confirmation.",
        usage: "kingfisher cache clear [--cache DIR] [--json]",
        discussion: "The folder and foreign files in it are not removed.")

    @OptionGroup var options: CacheOptions

    func run() throws {
        try options.withFolder { folder, console in
            let contents = try folder.contents()
            let removal = CacheRemoval(contents.entries, of: folder)
            try removal.report(of: contents, to: console, json: options.json)
        }
    }
}
