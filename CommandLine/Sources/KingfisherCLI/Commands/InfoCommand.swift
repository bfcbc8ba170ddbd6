import ArgumentParser
import Foundation
import Kingfisher

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints the format, size, frames, timing, orientation and alpha of images.",
        usage:
            "kingfisher info SOURCE... [--metadata] [--placeholder] [--palette 1-256] [-H 'NAME: VALUE']... [--cacert FILE] [--json]",
        discussion: """
            With --json, each line also has the metadata of the file, read without decoding pixels. Members \
            that the file does not have are absent. --metadata prints the same members as text, and the XMP \
            packets.

            bitsPerComponent, channels: of the stored samples. hdr: true for the transfer functions PQ and \
            HLG. gainMap: whether the image has a gain map; gainMapForms, gainMapWidth, gainMapHeight \
            and gainMapCapacity, in stops, describe one that can be read. codePoints: primaries, transfer, matrix and \
            fullRange, the numbers of ITU-T H.273. colorProfile: the description of the ICC profile. \
            pixelDensity: x and y in pixels per inch. xmpBytes, extendedXMPBytes: the lengths of the XMP \
            packets. metadataComplete: false if metadata was omitted because it is too large or a part is \
            missing.

            exif: make, model, lensMake, lensModel, software, artist, copyright, description, exposureTime \
            in seconds, fNumber, iso, focalLength and focalLengthIn35mmFilm in millimetres, flash (the bits \
            of EXIF), flashFired, dateTaken, dateDigitized and dateModified (RFC 3339, without a time zone \
            if the file has none).

            location: latitude and longitude in degrees, altitude in metres, timestamp.

            iptc: title, keywords, caption, bylines, credit, copyright, city, country, dateCreated, \
            dateDigitized.

            palette, with --palette: a list of color (#rrggbb) and share, from 0 to 1, the most frequent \
            colour first. Similar colours are one entry; transparent pixels do not count.
            """)

    @Argument(
        help: ArgumentHelp(
            "An http(s) URL, a file path, a data: URI, or - for standard input.", valueName: "source"))
    var sources: [String]

    @Flag(help: "Prints all metadata of the file; with --json, also the XMP packets.")
    var metadata = false

    @Flag(help: "Also decodes each image, and prints its BlurHash (4 x 3 components) and ThumbHash (Base64).")
    var placeholder = false

    @Option(
        help: ArgumentHelp(
            "Also decodes each image, and prints at most this number of colours, with their shares of it.",
            valueName: "1-256"))
    var palette: Int?

    @OptionGroup var request: RequestOptions

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Prints one JSON object per line.")
    var json = false

    func validate() throws {
        try WritingOptions.check("--palette", palette, 1...256)
    }

    func run() async throws {
        let console = Console(sources: sources.count, quiet: true)
        let reader = ImageReader(tls: trust.configuration, request: request.options)
        let (json, placeholder, palette, metadata) = (json, placeholder, palette, metadata)
        let failed = await EachSource(sources).run { _, source in
            // Standard output is closed, so no result could be printed.
            if StandardOutput.isLost { return true }
            do {
                let bytes = try await reader.bytes(of: source)
                guard let info = bytes.kf.imageInfo else { throw UnreadableImage(bytes: bytes) }
                // All pixels, so that the results equal the library's.
                let image =
                    placeholder || palette != nil
                    ? try Image.downsample(bytes, to: .zero, scale: 1) : Image()
                let line = InfoLine(
                    source: source, bytes: bytes.count, info: info, metadata: bytes.kf.imageMetadata,
                    gainMap: GainMap(of: bytes),
                    hashes: try placeholder ? PlaceholderHashes(of: image) : nil,
                    palette: palette.map { image.kf.palette(count: $0) }, showsMetadata: metadata)
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
