import ArgumentParser
import Kingfisher

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Loads images, processes them and writes them.",
        usage: """
            kingfisher get SOURCE... [-o PATH] [-p STEP]... [-f FORMAT] [--quality 1-100 | --lossless]
                           [--effort 0-10] [--chroma 444|422|420] [--progressive] [--colors 2-256]
                           [--max-bytes BYTES]
                           [--metadata keep|keep-without-location|copyright|strip]
                           [--cache DIR | --no-cache] [--refresh] [--only-from-cache]
                           [--key-rule RULE] [-H 'NAME: VALUE']... [--cacert FILE] [--jobs NUMBER] [--json]
                           [--quiet]
            """,
        discussion: """
            Without -o, images are written to the current folder. Existing files are replaced, except for a \
            SOURCE, which is never replaced, not even under another name or through a link. Without -f, an \
            image keeps its format and its bytes, but not its location. After steps it is written as PNG, \
            unless the name given with -o has another extension.

            An animation stays animated in formats that support it (see kingfisher formats), and steps apply \
            to every frame; other formats get the first frame. Delays and loop count do not change; GIF rounds \
            delays to hundredths of a second.

            --metadata is for EXIF, XMP and IPTC of the output, also of a file that is copied: all of it, all \
            but GPS data and coordinates in XMP, only the names of copyright holders and creators, or nothing. \
            Names of places are no location. Metadata for which a format has no place is omitted. A copied \
            file whose metadata cannot be removed is an error, and nothing is written; \
            keep-without-location accepts every file without a location. The cache keeps files as they were.

            A gain map for displays of high dynamic range (Ultra HDR, ISO 21496-1) is cropped, scaled and \
            turned with its JPEG or AVIF image, with any value of --metadata. Other steps and other formats drop \
            it; a line on standard error, or the members gainMap and gainMapReason of --json, says so.

            With --max-bytes an image is encoded at most six times; if no file is small enough, the error \
            names the size of the smallest. Standard input is not cached. The cache does not distinguish \
            header fields. With --key-rule, it does not distinguish URLs that differ in what the rule ignores; \
            the requested URL does not change.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            An http(s) URL, a file path, a data: URI, or - for standard input. With #t=SECONDS, the frame of \
            a video that is shown then, as in clip.mp4#t=12.5.
            """,
            valueName: "source"))
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

    @OptionGroup var writing: WritingOptions

    @Option(
        help: ArgumentHelp(
            "The metadata of the output. Default: \(MetadataChoice.keepWithoutLocation.rawValue).",
            valueName: "metadata"))
    var metadata = MetadataChoice.keepWithoutLocation

    @OptionGroup var loading: LoadingGroup

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    @Flag(help: "Prints neither a progress bar nor lines for a successful image.")
    var quiet = false

    func validate() throws {
        try LoadingGroup.validate(sources: sources)
        do {
            let target = try target
            if json, target == .standardOutput {
                throw ValidationError("--json cannot be combined with -o -: both write standard output")
            }
            try writing.validate(for: encoding(for: target).format)
        } catch let error as OutputTargetError {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let target = try target
        let console = Console(sources: sources.count, quiet: quiet)
        let encoding = try encoding(for: target)
        let writer = ImageWriter(target: target, sources: sources)
        let reports = !quiet && target != .standardOutput
        let (json, quiet) = (json, quiet)

        let loader: ImageLoader
        do {
            loader = try ImageLoader(options(for: encoding))
        } catch {
            for source in sources { console.report(error, of: source, json: json) }
            throw ExitCode(1)
        }
        let failed = await EachSource(sources, jobs: loading.jobs).run { index, source in
            defer { console.finish(index) }
            do {
                let started = ContinuousClock.now
                let image = try await loader.load(source) { received, expected in
                    console.update(index, received: received, expected: expected)
                }
                let written = try writer.write(encoding.encode(image), index: index)
                let line = GetLine(source: source, image: image, written: written, took: .now - started)
                if json { console.print(line.json) } else if reports { console.print(line.text) }
                if let loss = written.gainMap?.loss, !quiet {
                    console.printError("kingfisher: \(source.forMessages): \(loss.message)")
                }
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
            try OutputTarget(output, sources: sources.count, isFolder: \.isFolder)
        }
    }

    private func encoding(for target: OutputTarget) throws -> OutputEncoding {
        // With -f, an unknown or different extension is allowed.
        OutputEncoding(
            asked: format, named: format == nil ? try target.format : nil, options: writing.encoding,
            encodesAlways: writing.encodesAlways, metadata: metadata.policy)
    }

    private func options(for encoding: OutputEncoding) throws -> LoadingOptions {
        if process.contains(where: { $0.processor is TextImageProcessor }) { try TextError.check() }
        return loading.options(
            try Watermarks(of: process).processor(of: process),
            allFrames: encoding.format?.holdsAnimations == true)
    }
}
