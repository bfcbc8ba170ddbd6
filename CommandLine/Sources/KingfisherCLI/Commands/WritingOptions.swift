import ArgumentParser
import Kingfisher

/// How files are encoded.
struct WritingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Quality of lossy files, 1 to 100. Default: \(OutputEncoding.defaultQuality).",
            valueName: "1-100"))
    var quality: Int?

    @Flag(help: "Writes lossless files in formats that are also lossy.")
    var lossless = false

    @Option(
        help: ArgumentHelp(
            "Time for a smaller file, from 0 (fastest) to 10 (smallest). Default: by format and size.",
            valueName: "0-10"))
    var effort: Int?

    @Option(
        help: ArgumentHelp(
            "Resolution of colour in lossy files. Default: 444 from quality 90 on, otherwise 420.",
            valueName: "444|422|420"),
        transform: { text in
            guard let chroma = ChromaSubsampling(rawValue: text) else {
                throw ValidationError("the value must be 444, 422 or 420")
            }
            return chroma
        })
    var chroma: ChromaSubsampling?

    @Flag(help: "Writes JPEGs that browsers show before all bytes have arrived.")
    var progressive = false

    @Option(
        help: ArgumentHelp("Writes a palette with at most this number of colours.", valueName: "2-256"))
    var colors: Int?

    @Option(
        help: ArgumentHelp(
            "Lowers the quality, or the number of colours, until a file has at most this number of bytes.",
            valueName: "bytes"))
    var maxBytes: Int?

    func validate() throws {
        try Self.check("--quality", quality, 1...100)
        try Self.check("--effort", effort, 0...10)
        try Self.check("--colors", colors, 2...256)
        try Self.check("--max-bytes", maxBytes, 1...Int.max)
        if lossless, quality != nil { throw ValidationError("--lossless and --quality cannot be combined") }
    }

    static func check(_ name: String, _ value: Int?, _ bounds: ClosedRange<Int>) throws {
        guard let value, !bounds.contains(value) else { return }
        let range =
            bounds.upperBound == .max
            ? "at least \(bounds.lowerBound)" : "from \(bounds.lowerBound) to \(bounds.upperBound)"
        throw ValidationError("\(name) must be \(range), not \(value)")
    }

    /// Throws for an option that `format` does not have. Nil is the format of the source, which ignores
    /// options that it does not have, except `--lossless`.
    func validate(for format: OutputFormat?) throws {
        let needs: [(name: String, isGiven: Bool, capabilities: CodecCapabilities)] = [
            ("--quality", quality != nil, .encodesLossy),
            ("--lossless", lossless, [.encodesLossy, .encodesLossless]),
            ("--effort", effort != nil, .encodesEffort),
            ("--chroma", chroma != nil, .encodesChroma),
            ("--progressive", progressive, .encodesProgressive),
            ("--colors", colors != nil, .encodesPalette),
        ]
        for need in needs where need.isGiven {
            let formats = OutputFormat.names { $0.capabilities.isSuperset(of: need.capabilities) }
            if let format, !format.capabilities.isSuperset(of: need.capabilities) {
                throw ValidationError("\(need.name) applies to \(formats), not to \(format.name)")
            }
            if format == nil, lossless {
                throw ValidationError(
                    "--lossless applies to \(formats); select it with -f or the file extension")
            }
        }
    }

    /// Whether a file is encoded again, even if it has the right format.
    var encodesAlways: Bool {
        quality != nil || lossless || effort != nil || chroma != nil || progressive || colors != nil
    }

    var encoding: ImageEncodingOptions {
        ImageEncodingOptions(
            quality: Double(quality ?? OutputEncoding.defaultQuality) / 100, isLossless: lossless,
            effort: effort, chroma: chroma, isProgressive: progressive, maximumColors: colors,
            maximumBytes: maxBytes)
    }
}
