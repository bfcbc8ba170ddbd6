import ArgumentParser
import Glibc
import KingfisherSteps

/// `kingfisher get`: loads images, processes them and writes them.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Loads images, processes them and writes them.",
        usage: """
            kingfisher get SOURCE... [-o PATH] [-p STEP]... [-f FORMAT] [--quality 1-100 | --lossless]
                           [--cache DIR | --no-cache] [--refresh] [--only-from-cache] [--cacert FILE]
                           [--json] [--quiet]
            """,
        discussion: """
            Without -o images go to the current folder. Files of the same name are replaced, but a SOURCE \
            never is: not under another name, and not through links. Without -f an image keeps its format and its bytes; after steps it is written as PNG, \
            unless the name given with -o says otherwise.

            An animation stays one in formats that have animation (gif, apng, webp), and steps are then done \
            to every frame; other formats get its first frame. Its delays and its loop count are kept; GIF \
            rounds delays to hundredths of a second.
            """)

    @Argument(help: ArgumentHelp("An http(s) URL, the path of a file, or a data: URI.", valueName: "source"))
    var sources: [String]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp(
            "A file; a folder when it ends in / or several sources are given; - is standard output.",
            valueName: "path"))
    var output: String?

    @Option(
        name: [.short, .customLong("process")],
        help: ArgumentHelp("A step, done in order; see kingfisher processors.", valueName: "step"),
        transform: { try ProcessingStep($0) })
    var process: [ProcessingStep] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("The format to write.", valueName: "format"))
    var format: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "Quality of JPEG and lossy WebP, 1 to 100; \(OutputEncoding.defaultQuality) unless given.",
            valueName: "1-100"))
    var quality: Int?

    @Flag(help: "Writes WebP without changing a pixel.")
    var lossless = false

    @Option(
        help: ArgumentHelp(
            "The folder that holds the cache's folder; \(CacheFolder.defaultBase) unless given.",
            valueName: "dir"))
    var cache: String?

    @Flag(help: "Neither reads nor writes a cache on disk.")
    var noCache = false

    @Flag(help: "Loads anew, whatever the cache holds.")
    var refresh = false

    @Flag(help: "Fails rather than loads what the cache does not hold.")
    var onlyFromCache = false

    @OptionGroup var trust: TrustOptions

    @Flag(help: "One JSON object a line.")
    var json = false

    @Flag(help: "No progress bar, no line for an image that went well.")
    var quiet = false

    func validate() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality is a number from 1 to 100, not \(quality)")
        }
        if lossless, quality != nil { throw ValidationError("--lossless and --quality exclude each other") }
        if noCache, cache != nil { throw ValidationError("--cache and --no-cache exclude each other") }
        if onlyFromCache, noCache || refresh {
            throw ValidationError("--only-from-cache excludes --no-cache and --refresh")
        }
        try CacheOptions.validate(folder: cache)
        do {
            let target = try target
            if json, target == .standardOutput {
                throw ValidationError("--json and -o - would share standard output")
            }
            let format = try encoding(for: target).format
            if quality != nil, let format, !format.isLossy {
                let formats = OutputFormat.names(where: \.isLossy)
                throw ValidationError("--quality is for \(formats), not for \(format.name)")
            }
            if lossless, format?.hasLosslessMode != true {
                let formats = OutputFormat.names(where: \.hasLosslessMode)
                throw ValidationError("--lossless is for \(formats); choose it by -f or the output's name")
            }
        } catch let error as OutputTargetError {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let target = try target
        let console = Console(sources: sources.count, quiet: quiet)
        let encoding = try encoding(for: target)
        let writer = ImageWriter(target: target, encoding: encoding, sources: sources)
        let loading = LoadingOptions(
            steps: process, processesAllFrames: encoding.format?.holdsAnimations == true,
            cacheFolder: cache, noCache: noCache, refresh: refresh, onlyFromCache: onlyFromCache,
            tls: trust.configuration)
        let reports = !quiet && target != .standardOutput
        let json = json

        let loader: ImageLoader
        do {
            loader = try ImageLoader(loading)
        } catch {
            for source in sources { console.report(error, of: source, json: json) }
            throw ExitCode(1)
        }
        let failed = await EachSource(sources).run { index, source in
            defer { console.finish(index) }
            do {
                let started = ContinuousClock.now
                let image = try await loader.load(source) { received, expected in
                    console.update(index, received: received, expected: expected)
                }
                let written = try writer.write(image, index: index)
                let line = GetLine(source: source, image: image, written: written, took: .now - started)
                if json { console.print(line.json) } else if reports { console.print(line.text) }
                return true
            } catch {
                console.report(error, of: source, json: json)
                return false
            }
        }
        console.close()
        if failed > 0 { throw ExitCode(1) }
    }

    private var target: OutputTarget {
        get throws {
            try OutputTarget(output, sources: sources.count) { path in
                path.fileStatus.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
            }
        }
    }

    private func encoding(for target: OutputTarget) throws -> OutputEncoding {
        // -f spares a name whose extension says nothing, or something else.
        OutputEncoding(
            asked: format, named: format == nil ? try target.format : nil, quality: quality,
            isLossless: lossless)
    }
}
