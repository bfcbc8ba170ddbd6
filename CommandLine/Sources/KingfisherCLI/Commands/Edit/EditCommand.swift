import ArgumentParser
import Foundation
import Glibc
import Kingfisher

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Changes the metadata of image files without encoding their pixels.",
        usage: """
            kingfisher edit FILE... [--strip | --no-location | --keep-copyright] [--turn 90|180|270]
                            [--flip horizontal|vertical] [-o PATH | --follow] [--keep-time] [--json] [--quiet]
            """,
        discussion: """
            Files are replaced when the new file is complete, with the same owner, mode, access list and \
            extended attributes; if that is not possible, they stay as they are. A file without anything to \
            change is not touched. A failure does not stop the others.

            An image is turned and flipped by its orientation, in EXIF and XMP, which is combined with the \
            present one: turned first, then flipped, then metadata is removed. The preview in EXIF is kept \
            with the rest of EXIF; an image that was cropped may still be whole in it. --strip and \
            --keep-copyright remove it, and keep the orientation and the colour profile.

            JPEG, PNG and WebP support all changes. In a GIF, metadata can be removed, all of it or none. \
            Other formats cannot be changed; --no-location succeeds if they have no location. Locations are \
            GPS data of EXIF and coordinates in XMP, not names of places, texts, and private data of \
            camera makers. A JPEG with a video after the image is refused.

            --json prints file, output, changed, format, orientation and bytes, or file, error and message.
            """)

    @Argument(help: ArgumentHelp("A file path.", valueName: "file"))
    var files: [String]

    @Flag(help: "Removes all metadata, except the orientation and the colour profile.")
    var strip = false

    @Flag(help: "Removes the location from EXIF and XMP.")
    var noLocation = false

    @Flag(help: "Removes all metadata but the names of copyright holders and creators, as --strip does.")
    var keepCopyright = false

    @Option(
        help: ArgumentHelp("Turns the image clockwise by this number of degrees.", valueName: "90|180|270"),
        transform: { text in
            guard let degrees = Int(text), [90, 180, 270].contains(degrees) else {
                throw ValidationError("the value must be 90, 180 or 270")
            }
            return degrees / 90
        })
    var turn: Int?

    @Option(
        help: ArgumentHelp(
            "Mirrors the image: exchanges left and right, or top and bottom.",
            valueName: "horizontal|vertical"),
        transform: { text in
            guard let axis = FlipAxis(rawValue: text) else {
                throw ValidationError("the value must be horizontal or vertical")
            }
            return axis
        })
    var flip: FlipAxis?

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp(
            "Writes here, also what did not change, in place of replacing FILE. A folder if it ends in / or if several files are given; - is standard output.",
            valueName: "path"))
    var output: String?

    @Flag(help: "Replaces the target of a symbolic link, and a file with several names under this name only.")
    var follow = false

    @Flag(help: "Keeps the modification time.")
    var keepTime = false

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    @Flag(help: "Prints no line for a successful file.")
    var quiet = false

    func validate() throws {
        let policies = [strip, noLocation, keepCopyright]
        guard policies.count(where: { $0 }) <= 1 else {
            throw ValidationError("--strip, --no-location and --keep-copyright cannot be combined")
        }
        guard !change.isEmpty else {
            throw ValidationError(
                "say what to change: --strip, --no-location, --keep-copyright, --turn or --flip")
        }
        if files.contains("-") {
            throw ValidationError("- is standard input, which cannot be edited; a file of this name is ./-")
        }
        if output != nil, follow { throw ValidationError("--follow cannot be combined with -o") }
        do {
            if try target == .standardOutput, json || keepTime {
                throw ValidationError("--json and --keep-time cannot be combined with -o -")
            }
        } catch let error as OutputTargetError {
            throw ValidationError("\(error)")
        }
        var places = Set<FilePlace>()
        for file in files {
            guard let place = FilePlace(file) else { continue }
            guard places.insert(place).inserted else {
                throw ValidationError("\(file.forMessages) is given twice, maybe under another name")
            }
        }
    }

    func run() async throws {
        let console = Console(sources: files.count, quiet: true)
        let target = try target
        let editor = FileEditor(
            change: change,
            writer: target.map { ImageWriter(target: $0, sources: files, keepsExtensions: true) },
            follows: follow, keepsTime: keepTime)
        editor.removeLeftovers(besides: files)
        let reports = !quiet && target != .standardOutput
        let json = json
        let failed = await EachSource(files).run { index, file in
            do {
                let line = try editor.edit(file, index: index)
                if json { console.print(line.json) } else if reports { console.print(line.text) }
                return true
            } catch {
                console.report(error, ofFile: file, json: json)
                return false
            }
        }
        if failed > 0 { throw ExitCode(1) }
    }

    private var change: MetadataChange {
        let policy: MetadataPolicy =
            strip ? .strip : noLocation ? .keepWithoutLocation : keepCopyright ? .keepCopyright : .automatic
        return MetadataChange(policy: policy, quarterTurns: turn ?? 0, flip: flip)
    }

    /// Nil if files are edited in place.
    private var target: OutputTarget? {
        get throws { try output.map { try OutputTarget($0, sources: files.count, isFolder: \.isFolder) } }
    }
}
