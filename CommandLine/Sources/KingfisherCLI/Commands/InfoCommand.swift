import ArgumentParser
import Foundation
import Kingfisher

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints the format, size, frames, timing, orientation and alpha of images.",
        usage: "kingfisher info SOURCE... [--placeholder] [--cacert FILE] [--json]")

    @Argument(help: ArgumentHelp("An http(s) URL, a file path, or a data: URI.", valueName: "source"))
    var sources: [String]

    @Flag(help: "Also decodes each image, and prints its BlurHash (4 x 3 components) and ThumbHash (Base64).")
    var placeholder = false

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    func run() async throws {
        let console = Console(sources: sources.count, quiet: true)
        let reader = ImageReader(tls: trust.configuration)
        let (json, placeholder) = (json, placeholder)
        let failed = await EachSource(sources).run { _, source in
            // Standard output is closed, so no result could be printed.
            if StandardOutput.isLost { return true }
            do {
                let bytes = try await reader.bytes(of: source)
                guard let info = bytes.kf.imageInfo else { throw UnreadableImage(bytes: bytes) }
                let line = InfoLine(
                    source: source, bytes: bytes.count, info: info,
                    hashes: try placeholder ? PlaceholderHashes(of: bytes) : nil)
                if json { console.print(line.json) } else { console.print(line.lines) }
                return true
            } catch {
                console.report(error, of: source, json: json)
                return false
            }
        }
        if failed > 0 { throw ExitCode(1) }
    }
}
