import ArgumentParser
import Foundation
import Kingfisher

struct MontageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "montage", abstract: "Writes a contact sheet: small images with their names.",
        usage: """
            kingfisher montage SOURCE... -o PATH [--columns NUMBER] [--cell WxH] [--crop] [--gap PIXELS]
                               [--background #COLOR] [--no-names] [-f FORMAT] [--quality 1-100 | --lossless]
                               [--effort 0-10] [--chroma 444|422|420] [--progressive] [--colors 2-256]
                               [--max-bytes BYTES] [--cache DIR | --no-cache] [--refresh]
                               [--only-from-cache] [--key-rule RULE] [-H 'NAME: VALUE']...
                               [--cacert FILE] [--jobs NUMBER] [--json] [--quiet]
            """,
        discussion: """
            Images are in the order of their SOURCEs, from left to right. Each is made smaller until it fits in \
            its cell, or with --crop until it fills the cell; none is enlarged, except SVG. An animation shows \
            its first frame. An image that cannot be loaded has a cell with a cross, and the exit status is 1.

            Names are the last parts of paths and URLs; long ones are shortened in the middle, and control \
            characters are escaped. They are drawn with SVG, in a font of this system. The sheet has at most \
            100 megapixels, and only it and the images that are being drawn are in memory. Small images are \
            cached, as by kingfisher get -p fit:WxH.

            --json prints source, x, y, width and height of each image's cell, or source, error and message; \
            then output, columns, rows, width, height, format, bytes, images and failed of the sheet.
            """)

    @Argument(
        help: ArgumentHelp(
            "An http(s) URL, a file path, a data: URI, or - for standard input.", valueName: "source"))
    var sources: [String]

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("The file of the sheet; - is standard output.", valueName: "path"))
    var output: String

    @Option(
        help: ArgumentHelp("The number of columns. Default: about as many as rows.", valueName: "number"))
    var columns: Int?

    @Option(
        help: ArgumentHelp("The size of an image in pixels. Default: 200x200.", valueName: "WxH"),
        transform: { text in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard sides.count == 2, sides.allSatisfy({ 16...4096 ~= $0 }) else {
                throw ValidationError("the value must be WxH, with sides from 16 to 4096")
            }
            return PixelSize(width: sides[0], height: sides[1])
        })
    var cell = PixelSize(width: 200, height: 200)

    @Flag(help: "Fills cells, and crops what does not fit.")
    var crop = false

    @Option(help: ArgumentHelp("The space between cells. Default: 8.", valueName: "pixels"))
    var gap = 8

    @Option(
        help: ArgumentHelp(
            "The colour behind the images, such as '#fff', the default, or '#0000' for none.",
            valueName: "#color"),
        transform: { text in
            guard let tint = try? ProcessingStep("tint:\(text)").processor as? TintImageProcessor else {
                throw ValidationError("the value must be #rgb, #rgba, #rrggbb or #rrggbbaa")
            }
            return tint.tint
        })
    var background = Color.white

    @Flag(inversion: .prefixedNo, help: "Draws the names of images below them.")
    var names = true

    @Option(name: .shortAndLong, help: ArgumentHelp("The output format.", valueName: "format"))
    var format: OutputFormat?

    @OptionGroup var writing: WritingOptions

    @OptionGroup var loading: LoadingGroup

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    @Flag(help: "Prints neither a progress bar nor a line for the sheet.")
    var quiet = false

    func validate() throws {
        try LoadingGroup.validate(sources: sources)
        try WritingOptions.check("--columns", columns, 1...65_535)
        try WritingOptions.check("--gap", gap, 0...1_000)
        let size = layout.size
        if layout.isTooLarge {
            throw ValidationError(
                "the sheet would have \(size.width) x \(size.height) pixels, more than 100 megapixels or "
                    + "\(SheetLayout.maximumSide) along a side; choose a smaller --cell, or other --columns")
        }
        do {
            let target = try target
            if case .folder = target { throw ValidationError("-o requires a file, not a folder") }
            if json, target == .standardOutput {
                throw ValidationError("--json cannot be combined with -o -: both write standard output")
            }
            try writing.validate(for: encoding(for: target).format ?? .png)
        } catch let error as OutputTargetError {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let console = Console(sources: sources.count, quiet: quiet)
        let sheet: ContactSheet, loader: ImageLoader
        do {
            if names { try TextError.check("; --no-names makes a sheet without names") }
            loader = try ImageLoader(loading.options(processor))
            sheet = try ContactSheet(layout, background: background)
        } catch {
            console.report(error, ofFile: output, json: json)
            throw ExitCode(1)
        }
        let json = json
        let failed = await EachSource(sources, jobs: loading.jobs).run { index, source in
            defer { console.finish(index) }
            let name = CellName.text(of: source)
            do {
                let image = try await loader.load(source) { received, expected in
                    console.update(index, received: received, expected: expected)
                }
                try sheet.draw(image.image(), name, at: index)
                if json { console.print(sheet.line(of: source, at: index)) }
                return true
            } catch {
                try? sheet.draw(nil, name, at: index)
                console.report(error, of: source, json: json)
                return false
            }
        }
        console.close()
        try write(sheet, failed, console)
    }

    private func write(_ sheet: ContactSheet, _ failed: Int, _ console: Console) throws {
        do {
            let target = try target
            let image = LoadedImage(
                cacheType: .none, file: nil, processor: nil, original: nil, decoded: try sheet.image())
            let written = try ImageWriter(target: target, sources: sources).write(
                encoding(for: target).encode(image), index: 0)
            let line = SheetLine(layout: layout, written: written, failed: failed)
            if json {
                console.print(line.json)
            } else if !quiet, target != .standardOutput {
                console.print(line.text)
            }
        } catch {
            console.report(error, ofFile: output, json: json)
            throw ExitCode(1)
        }
        if failed > 0 { throw ExitCode(1) }
    }

    private var layout: SheetLayout {
        SheetLayout(count: sources.count, columns: columns, cell: cell, gap: gap, hasNames: names)
    }

    private var processor: any ImageProcessor {
        let size = CGSize(width: cell.width, height: cell.height)
        return crop ? CoveringImageProcessor(size: size) : FittingImageProcessor(size: size)
    }

    private var target: OutputTarget {
        get throws { try OutputTarget(output, sources: 1, isFolder: \.isFolder) }
    }

    private func encoding(for target: OutputTarget) throws -> OutputEncoding {
        OutputEncoding(
            asked: format, named: format == nil ? try target.format : nil, options: writing.encoding,
            encodesAlways: true, metadata: .strip)
    }
}

extension ContactSheet {
    fileprivate func line(of source: String, at index: Int) -> JSONLine {
        let origin = layout.origin(of: index)
        return JSONLine([
            "source": .source(source), "x": .whole(origin.x), "y": .whole(origin.y),
            "width": .whole(layout.cell.width), "height": .whole(layout.cell.height),
        ])
    }
}

private struct SheetLine {
    let layout: SheetLayout
    let written: ImageWriter.Written
    let failed: Int

    var json: JSONLine {
        JSONLine([
            "output": .text(written.path), "columns": .whole(layout.columns), "rows": .whole(layout.rows),
            "width": .whole(layout.size.width), "height": .whole(layout.size.height),
            "format": .text(written.format.name), "bytes": .whole(written.bytes),
            "images": .whole(layout.count - failed), "failed": .whole(failed),
        ])
    }

    var text: String {
        "\(written.path): \(layout.size.width) x \(layout.size.height) pixels, \(written.format.name), "
            + "\(written.bytes) bytes, \(layout.count - failed) images"
            + (failed > 0 ? ", \(failed) failed" : "")
    }
}
