import ArgumentParser
import Kingfisher

/// How the sources of a command are loaded and cached.
struct LoadingGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The parent folder of the cache folder. Default: \(CacheFolder.defaultBase).",
            valueName: "dir"))
    var cache: String?

    @Flag(help: "Does not use the disk cache.")
    var noCache = false

    @Flag(help: "Loads again, even if the image is cached.")
    var refresh = false

    @Flag(help: "Fails if the image is not cached.")
    var onlyFromCache = false

    @OptionGroup var keyRule: KeyRuleOptions

    @OptionGroup var request: RequestOptions

    @OptionGroup var trust: TrustOptions

    @Option(
        help: ArgumentHelp(
            "The number of sources at a time. Default: \(EachSource.defaultJobs).", valueName: "number"))
    var jobs = EachSource.defaultJobs

    func validate() throws {
        guard 1...EachSource.maximumJobs ~= jobs else {
            throw ValidationError("--jobs must be from 1 to \(EachSource.maximumJobs), not \(jobs)")
        }
        if noCache, cache != nil { throw ValidationError("--cache and --no-cache cannot be combined") }
        if onlyFromCache, noCache || refresh {
            throw ValidationError("--only-from-cache cannot be combined with --no-cache or --refresh")
        }
        try CacheOptions.validate(folder: cache)
    }

    /// Throws if standard input is given twice.
    static func validate(sources: [String]) throws {
        if sources.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("- is standard input, which can be read only once")
        }
    }

    func options(
        _ processor: (any ImageProcessor)?, allFrames: Bool = false
    ) -> LoadingOptions {
        LoadingOptions(
            processor: processor, processesAllFrames: allFrames, cacheFolder: cache, noCache: noCache,
            refresh: refresh, onlyFromCache: onlyFromCache, keyRule: keyRule.rule?.rule,
            tls: trust.configuration, request: request.options)
    }
}
