import ArgumentParser
import Kingfisher

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "Inspects, checks and cleans the disk cache of get.",
        usage: "kingfisher cache info|list|path|remove|clean|clear|verify [SOURCE...] [--cache DIR] [--json]",
        discussion: """
            Only files of the cache are counted and removed: files with its extended attribute, and images \
            that have the name of an entry. Foreign files in the folder are reported but not changed. \
            Symbolic links are never followed, with one exception: the cache folder itself may be a link \
            that belongs to the user or to root, for example to another disk.
            """,
        subcommands: [
            CacheInfoCommand.self, CacheListCommand.self, CachePathCommand.self, CacheRemoveCommand.self,
            CacheCleanCommand.self, CacheClearCommand.self, CacheVerifyCommand.self,
        ])

    func run() throws {
        throw MissingSubcommand(of: Self.self)
    }
}

struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The parent folder of the cache folder, as with get. Default: \(CacheFolder.defaultBase).",
            valueName: "dir"))
    var cache: String?

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    func validate() throws {
        try Self.validate(folder: cache)
    }

    static func validate(folder: String?) throws {
        if folder?.isEmpty == true { throw ValidationError("--cache requires a folder") }
        if folder?.hasRawBytes == true {
            throw ValidationError("--cache requires a folder with a UTF-8 name")
        }
    }

    /// Calls `body` with the cache; on an error prints the reason and exits with 1.
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

struct CachedSources: ParsableArguments {
    @Argument(help: ArgumentHelp("An http(s) URL, a file path, or a data: URI.", valueName: "source"))
    var sources: [String]

    @Option(
        name: [.short, .customLong("process")],
        help: ArgumentHelp(
            "A step of the processed image; without -p, the original.", valueName: "step"),
        transform: { try ProcessingStep($0) })
    var process: [ProcessingStep] = []

    @OptionGroup var keyRule: KeyRuleOptions

    /// Calls `body` with each source, in order; a failure is reported and does not stop the others.
    func forEach(
        in options: CacheOptions, _ body: (String, CacheKeys, CacheFolder, Console) throws -> Void
    ) throws {
        try options.withFolder { folder, console in
            let keys = CacheKeys(steps: process, rule: keyRule.rule?.rule)
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
