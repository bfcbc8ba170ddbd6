import ArgumentParser
import Kingfisher

/// `kingfisher cache path`: where a source's image is.
struct CachePathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Prints the file in which the cache keeps a source's image.",
        usage: "kingfisher cache path SOURCE... [-p STEP]... [--cache DIR] [--json]",
        discussion: """
            An image made by steps is kept beside the original. With the same -p as get was given, that one is \
            meant. A source that is not cached is an error.
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
