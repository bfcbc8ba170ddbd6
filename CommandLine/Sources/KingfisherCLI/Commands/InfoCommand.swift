import ArgumentParser
import Foundation
import Kingfisher

/// `kingfisher info`: what a picture's header says.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Prints format, pixels, frames, orientation and alpha of pictures.",
        usage: "kingfisher info SOURCE... [--json]")

    @Argument(help: ArgumentHelp("An http(s) URL, the path of a file, or a data: URI.", valueName: "source"))
    var sources: [String]

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() async throws {
        let console = Console(sources: sources.count, quiet: true)
        let reader = PictureReader()
        let json = json
        let failed = await EachSource(sources).run { _, source in
            do {
                let bytes = try await reader.bytes(of: source)
                guard let info = bytes.kf.imageInfo else { throw UnreadablePicture() }
                let line = InfoLine(source: source, bytes: bytes.count, info: info)
                console.print(json ? line.json : line.text)
                return true
            } catch {
                console.report(error, of: source, json: json)
                return false
            }
        }
        if failed > 0 { throw ExitCode(1) }
    }
}

/// What `kingfisher info` prints of one picture.
struct InfoLine {
    let source: String
    let bytes: Int
    let info: ImageInfo

    var json: String {
        JSONLine([
            "source": .text(source),
            "format": .text(info.format.name.lowercased()),
            "width": .whole(info.width),
            "height": .whole(info.height),
            "frames": .whole(info.frameCount),
            "orientation": .text("\(info.orientation)"),
            "alpha": .truth(info.hasAlpha),
            "bytes": .whole(bytes),
        ]).description
    }

    var text: String {
        let frames = info.frameCount == 1 ? "1 frame" : "\(info.frameCount) frames"
        let alpha = info.hasAlpha ? "alpha" : "no alpha"
        return
            "\(source.forMessages): \(info.format.name), \(info.width) x \(info.height) pixels, \(frames), "
            + "orientation \(info.orientation), \(alpha), \(bytes) bytes"
    }
}
