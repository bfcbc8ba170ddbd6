import ArgumentParser
import Kingfisher
import KingfisherSteps

/// `kingfisher cache`: looks at what `kingfisher get` keeps on disk, and tidies it.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Looks at what get keeps on disk, checks it and tidies it.",
        usage: "kingfisher cache info|list|path|remove|clean|clear|verify [SOURCE...] [--cache DIR] [--json]",
        discussion: """
            Only files that the cache made itself are counted and removed: those with its extended attribute, \
            or, of the name of an entry, that are images. Others in its folder are told of and left alone, and \
            so are links, which are never followed. The folder itself may be a link of its user or of root, to \
            another disk for example; one of another user is refused.
            """,
        subcommands: [
            CacheInfoCommand.self, CacheListCommand.self, CachePathCommand.self, CacheRemoveCommand.self,
            CacheCleanCommand.self, CacheClearCommand.self, CacheVerifyCommand.self,
        ])

    func run() throws {
        throw MissingSubcommand(of: Self.self)
    }
}

/// What all commands of the cache take.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that holds the cache's folder, as with get; \(CacheFolder.defaultBase) unless given.",
            valueName: "dir"))
    var cache: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        try Self.validate(folder: cache)
    }

    static func validate(folder: String?) throws {
        if folder?.isEmpty == true { throw ValidationError("--cache needs a folder") }
        if folder?.hasRawBytes == true { throw ValidationError("--cache needs a folder whose name is UTF-8") }
    }

    /// Calls `body` with the cache; when that cannot be done, says why and ends with 1.
    func withFolder(_ body: (CacheFolder, Console) throws -> Void) throws {
        let console = Console(sources: 0, quiet: true)
        do {
            try body(try CacheFolder(in: cache), console)
        } catch let code as ExitCode {
            throw code
        } catch {
            console.report(error, ofFolder: CacheFolder.path(in: cache), json: json)
            throw ExitCode(1)
        }
    }
}

/// Sources and the steps that made images of them.
struct CachedSources: ParsableArguments {
    @Argument(help: ArgumentHelp("An http(s) URL, the path of a file, or a data: URI.", valueName: "source"))
    var sources: [String]

    @Option(
        name: [.short, .customLong("process")],
        help: ArgumentHelp(
            "A step of the image that was made; without one the original is meant.", valueName: "step"),
        transform: { try ProcessingStep($0) })
    var process: [ProcessingStep] = []

    /// Calls `body` with each source, in order; one that fails is reported and does not stop the others.
    func forEach(
        in options: CacheOptions, _ body: (String, CacheKeys, CacheFolder, Console) throws -> Void
    ) throws {
        try options.withFolder { folder, console in
            let keys = CacheKeys(steps: process)
            var failed = false
            for source in sources {
                do {
                    try body(source, keys, folder, console)
                } catch {
                    console.report(error, of: source, json: options.json)
                    failed = true
                }
            }
            if failed { throw ExitCode(1) }
        }
    }
}
