import ArgumentParser
import Kingfisher

/// The command `kingfisher`.
struct KingfisherTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kingfisher",
        abstract: "Loads, caches and processes images.",
        usage: "kingfisher get|info|processors|cache ...",
        discussion: """
            A SOURCE is an http(s) URL, the path of a file, or a data: URI. A file whose name begins with a \
            dash is written ./-NAME, or stands after --.

            What is printed is safe to look at: user names and passwords in URLs are left out, also with \
            --json. Control characters, line breaks and marks of writing direction are printed as \\u001B, and \
            bytes of file names that are not UTF-8 as \\xE9.

            Exit status: 0 all well, 1 some sources failed, 2 wrong usage.
            """,
        version: "kingfisher \(kingfisherVersion)",
        subcommands: [GetCommand.self, InfoCommand.self, ProcessorsCommand.self, CacheCommand.self])

    func run() async throws {
        throw MissingSubcommand(of: Self.self)
    }
}
