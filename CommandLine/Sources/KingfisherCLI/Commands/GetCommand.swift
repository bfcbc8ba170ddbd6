import ArgumentParser
import Glibc
import KingfisherSteps

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Loads images, processes them and writes them.",
        usage: """
            kingfisher get SOURCE... [-o PATH] [-p STEP]... [-f FORMAT] [--quality 1-100 | --lossless]
                           [--cache DIR | --no-cache] [--refresh] [--only-from-cache] [--cacert FILE]
                           [--json] [--quiet]
            """,
        discussion: """
            Without -o, images are written to the current folder. Existing files are replaced, except for a \
            SOURCE, which is never replaced, not even under another name or through a link. Without -f, an \
            image keeps its format and its bytes. After steps it is written as PNG, unless the name given \
            with -o has another extension.

            An animation stays animated in formats that support it (gif, apng, webp), and steps apply to every \
            frame; other formats get the first frame. Delays and loop count do not change; GIF rounds delays \
            to hundredths of a second.
            """)

    @Argument(help: ArgumentHelp("An http(s) URL, a file path, or a data: URI.", valueName: "source"))
    var sources: [String]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp(
            "The output file. A folder if it ends in / or if several sources are given; - is standard output.",
            valueName: "path"))
    var output: String?

    @Option(
        name: [.short, .customLong("process")],
        help: ArgumentHelp(
            "A processing step; steps run in order. See kingfisher processors.", valueName: "step"),
        transform: { try ProcessingStep($0) })
    var process: [ProcessingStep] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("The output format.", valueName: "format"))
    var format: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "Quality of JPEG and lossy WebP, 1 to 100. Default: \(OutputEncoding.defaultQuality).",
            valueName: "1-100"))
    var quality: Int?

    @Flag(help: "Writes lossless WebP.")
    var lossless = false

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

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    @Flag(help: "Prints neither a progress bar nor a line for a successful image.")
    var quiet = false

    func validate() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality must be from 1 to 100, not \(quality)")
        }
        if lossless, quality != nil { throw ValidationError("--lossless and --quality cannot be combined") }
        if noCache, cache != nil { throw ValidationError("--cache and --no-cache cannot be combined") }
        if onlyFromCache, noCache || refresh {
            throw ValidationError("--only-from-cache cannot be combined with --no-cache or --refresh")
        }
        try CacheOptions.validate(folder: cache)
        do {
            let target = try target
            if json, target == .standardOutput {
                throw ValidationError("--json cannot be combined with -o -: both write standard output")
            }
            let format = try encoding(for: target).format
            if quality != nil, let format, !format.isLossy {
                let formats = OutputFormat.names(where: \.isLossy)
                throw ValidationError("--quality applies to \(formats), not to \(format.name)")
            }
            if lossless, format?.hasLosslessMode != true {
                let formats = OutputFormat.names(where: \.hasLosslessMode)
                throw ValidationError(
                    "--lossless applies to \(formats); select it with -f or the file extension")
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
        // With -f, an unknown or different extension is allowed.
        OutputEncoding(
            asked: format, named: format == nil ? try target.format : nil, quality: quality,
            isLossless: lossless)
    }
}
