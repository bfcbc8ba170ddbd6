import ArgumentParser
import Kingfisher

/// `kingfisher cache remove`: takes sources out of the cache.
struct CacheRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes the images of sources.",
        usage: "kingfisher cache remove SOURCE... [-p STEP]... [--cache DIR] [--json]",
        discussion: """
            Removes the original, or, with the same -p as get was given, the image that these steps made: \
            the name of a file does not tell its source, so each is removed by saying how it was made. A \
            source that is not cached is an error.
            """)

    @OptionGroup var sources: CachedSources
    @OptionGroup var options: CacheOptions

    func run() throws {
        try sources.forEach(in: options) { source, keys, folder, console in
            for file in try keys.entries(for: source, in: folder) {
                // One that was stored anew at this moment is another image, and stays.
                guard try folder.storage.remove(file) else { continue }
                if options.json {
                    console.print(JSONLine(["source": .source(source), "removed": .text(file.url.path)]))
                } else {
                    console.print("removed \(file.url.path)")
                }
            }
        }
    }
}
