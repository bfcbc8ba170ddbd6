import ArgumentParser
import Kingfisher

struct CachePathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Prints the cache file of a source.",
        usage: "kingfisher cache path SOURCE... [-p STEP]... [--key-rule RULE] [--cache DIR] [--json]",
        discussion: """
            A processed image has a separate file beside the original. To select it, give the same -p options \
            as to get, and the same --key-rule. A source that is not cached is an error.
            """)

    @OptionGroup var sources: CachedSources
    @OptionGroup var options: CacheOptions

    func run() throws {
        try sources.forEach(in: options) { source, keys, folder, console in
            for file in try keys.entries(for: source, in: folder) {
                if options.json {
                    console.print(JSONLine(["source": .source(source), "path": .text(file.url.path)]))
                } else {
                    console.print(file.url.path)
                }
            }
        }
    }
}
