import ArgumentParser
import Kingfisher
import KingfisherSharedCache

struct CacheInvalidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invalidate", abstract: "Invalidates all images of a shared cache that have a tag.",
        usage: "kingfisher cache invalidate TAG... --shared URL [--json]",
        discussion: """
            Servers notice it within a second. The engine removes the images when they expire. Images in the \
            memory and on the disks of the servers are not invalidated.
            """)

    @Argument(help: ArgumentHelp("A tag of the requests that made the images.", valueName: "tag"))
    var tags: [String]

    @OptionGroup var shared: SharedCacheOptions

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    func validate() throws {
        guard shared.shared != nil else { throw ValidationError("invalidate requires --shared") }
        try shared.validateURL()
    }

    func run() async throws {
        guard let cache = try shared.open() else { return }
        try await cache.forEach(tags, kind: "tag", json: json) { tag in
            try await cache.tier.invalidate(tag: tag)
            return "invalidated"
        }
    }
}
