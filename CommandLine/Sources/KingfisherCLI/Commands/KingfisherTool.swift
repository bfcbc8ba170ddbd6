import ArgumentParser
import Kingfisher

/// The command `kingfisher`.
struct KingfisherTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kingfisher",
        abstract: "Loads, caches and processes pictures.",
        usage: "kingfisher get|info|processors|cache ...",
        discussion: """
            A SOURCE is an http(s) URL, the path of a file, or a data: URI.

            Exit status: 0 all well, 1 some sources failed, 2 wrong usage.
            """,
        version: "kingfisher \(kingfisherVersion)",
        subcommands: [GetCommand.self, InfoCommand.self, ProcessorsCommand.self, CacheCommand.self])

    func run() async throws {
        throw MissingSubcommand(of: Self.self)
    }
}
