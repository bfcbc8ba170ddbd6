import ArgumentParser
import Kingfisher

struct CacheRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes sources from the cache.",
        usage: "kingfisher cache remove SOURCE... [-p STEP]... [--key-rule RULE] [--cache DIR] [--json]",
        discussion: """
            Removes the original, or, with the same -p options as given to get, the processed image. File \
            names do not reveal their source, so each processed image must be selected by its steps, \
            and by the --key-rule with which it was stored. A source that is not cached is an error.
            """)

    @OptionGroup var sources: CachedSources
    @OptionGroup var options: CacheOptions

    func run() throws {
        try sources.forEach(in: options) { source, keys, folder, console in
            for file in try keys.entries(for: source, in: folder) {
                // An entry that was replaced in the meantime is a different image and stays.
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
