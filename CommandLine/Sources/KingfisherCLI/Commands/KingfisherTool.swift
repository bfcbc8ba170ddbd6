import ArgumentParser
import Kingfisher

struct KingfisherTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kingfisher",
        abstract: "Loads, caches, processes and edits images.",
        usage: "kingfisher get|montage|edit|info|processors|formats|cache|doctor ...",
        discussion: """
            A SOURCE is an http(s) URL, a file path, a data: URI, or - for standard input. If a file name begins with a dash, write \
            ./-NAME, or put -- before it.

            User names and passwords in URLs are never printed, not even with --json. Control characters, line \
            breaks and bidirectional marks are printed as \\u001B, and bytes of file names that are not UTF-8 \
            as \\xE9.

            Exit status: 0 success, 1 some sources failed, 2 wrong usage.
            """,
        version: "kingfisher \(kingfisherVersion)",
        subcommands: [
            GetCommand.self, MontageCommand.self, EditCommand.self, InfoCommand.self,
            ProcessorsCommand.self, FormatsCommand.self, CacheCommand.self, DoctorCommand.self,
        ])

    func run() async throws {
        throw MissingSubcommand(of: Self.self)
    }
}
