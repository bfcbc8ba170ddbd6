import ArgumentParser
import Kingfisher

struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats", abstract: "Lists the formats that can be read and written.",
        usage: "kingfisher formats [--json | --markdown]",
        discussion: """
            For each format: the file extensions, what is read and written, and the library that does it. \
            Stills can be read in all formats.
            """)

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    @Flag(help: "Prints a table in Markdown.")
    var markdown = false

    func validate() throws {
        if json, markdown { throw ValidationError("--json and --markdown cannot be combined") }
    }

    func run() {
        let console = Console(sources: 0, quiet: true)
        let lines = FormatLine.all
        if json {
            for line in lines { console.print(line.json) }
        } else if markdown {
            console.print("| format | extensions | read | written | options | library |")
            console.print("| --- | --- | --- | --- | --- | --- |")
            for line in lines { console.print(line.markdown) }
        } else {
            for line in lines { console.print(line.text) }
        }
    }
}

/// What one format supports, from the capabilities of its codec.
struct FormatLine {
    private let codec: any ImageCodec

    static var all: [FormatLine] {
        ImageCodecs.formats.compactMap { ImageCodecs.codec(for: $0) }
            .sorted { $0.format.name.lowercased() < $1.format.name.lowercased() }.map(FormatLine.init)
    }

    private var can: CodecCapabilities { codec.capabilities }
    private var name: String { codec.format.name }

    private var read: [String] {
        names([
            (true, "stills"), (can.contains(.decodesAnimations), "animations"),
            (can.contains(.decodes16Bits), "16 bits"),
            (can.contains(.decodesSmall), "fast thumbnails"), (can.contains(.readsMetadata), "metadata"),
        ])
    }

    /// Empty if the format cannot be written.
    private var written: [String] {
        guard !can.isDisjoint(with: [.encodesStills, .encodesAnimations]) else { return [] }
        return names([
            (true, "stills"), (can.contains(.encodesAnimations), "animations"),
            (can.contains(.encodesLossy), "lossy"), (can.contains(.encodesLossless), "lossless"),
            (can.contains(.encodesAlpha), "alpha"), (can.contains(.encodes16Bits), "16 bits"),
            (can.contains(.writesMetadata), "metadata"),
        ])
    }

    /// The writing options of the tool that the format has.
    private var options: [String] {
        names([
            (can.contains(.encodesLossy), "quality"),
            (can.isSuperset(of: [.encodesLossy, .encodesLossless]), "lossless"),
            (can.contains(.encodesEffort), "effort"), (can.contains(.encodesChroma), "chroma"),
            (can.contains(.encodesProgressive), "progressive"),
            (can.contains(.encodesPalette), "colors"),
        ])
    }

    private func names(_ items: [(isTrue: Bool, name: String)]) -> [String] {
        items.filter(\.isTrue).map(\.name)
    }

    var text: [String] {
        [
            "\(name) (\(codec.fileExtensions.joined(separator: ", ")); \(codec.version))",
            "    reads \(read.joined(separator: ", "))",
            written.isEmpty ? "    writes nothing" : "    writes \(written.joined(separator: ", "))",
        ] + (options.isEmpty ? [] : ["    options \(options.map { "--\($0)" }.joined(separator: ", "))"])
    }

    var markdown: String {
        func cell(_ items: [String]) -> String { items.isEmpty ? "-" : items.joined(separator: ", ") }
        // Versions differ between machines.
        let library = codec.version.split(separator: " ").first.map(String.init) ?? ""
        let cells = [
            name, cell(codec.fileExtensions), cell(read), cell(written), cell(options.map { "`--\($0)`" }),
            library,
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    var json: JSONLine {
        func list(_ items: [String]) -> JSONLine.Value { .list(items.map { .text($0) }) }
        return JSONLine([
            "format": .text(name.lowercased()), "extensions": list(codec.fileExtensions),
            "mediaType": .text(codec.mediaType), "reads": list(read), "writes": list(written),
            "options": list(options), "library": .text(codec.version),
        ])
    }
}
