import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Image files in a folder, and what `TiledImage` makes of them.
struct ZoomRig: Sendable {
    let bench: Bench
    let folder: TemporaryFolder
    let space = TileSpace(limit: 1 << 30)
    let queue = OperationQueue()

    init() throws {
        bench = try Bench()
        folder = try TemporaryFolder()
        queue.maxConcurrentOperationCount = 4
    }

    func file(_ data: Data, _ name: String = "image") throws -> URL {
        let url = folder.url.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }

    func open(_ url: URL, _ options: KingfisherOptionsInfo? = nil) async throws -> TiledImage {
        try await open(.provider(LocalFileImageDataProvider(fileURL: url)), options)
    }

    func open(_ source: Source, _ options: KingfisherOptionsInfo? = nil) async throws -> TiledImage {
        try await TiledImageOpening(source, options, bench.manager, space, queue).run()
    }

    func open(_ data: Data, _ name: String = "image") async throws -> TiledImage {
        try await open(file(data, name))
    }

    /// All tiles of a level have the pixels of `expected`.
    func expectTiles(
        of image: TiledImage, level: Int, _ expected: PixelBuffer,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(image.size(ofLevel: level) == expected.size, sourceLocation: sourceLocation)
        let length = TiledImage.tileLength
        for row in 0..<(expected.height + length - 1) / length {
            for column in 0..<(expected.width + length - 1) / length {
                let place = TiledImage.Tile(level: level, column: column, row: row)
                let tile = try #require(try await image.tile(place).pixels)
                let crop = try expected.cropped(
                    x: column * length, y: row * length, width: min(length, expected.width - column * length),
                    height: min(length, expected.height - row * length))
                #expect(
                    tile.format == crop.format && tile.packedBytes == crop.packedBytes, "\(place)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// All tiles have the pixels of the overview of their level, and those of level 0 the pixels of `data` as
    /// its codec decodes them.
    func expectTiles(
        of image: TiledImage, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let whole = try ImageCodecs.open(data).decoder.decode(.full)
        try await expectTiles(of: image, level: 0, whole, sourceLocation: sourceLocation)
        for level in 0..<image.levelCount {
            let overview = try await image.overview(covering: image.size(ofLevel: level))
            let pixels = try #require(overview.pixels)
            try await expectTiles(of: image, level: level, pixels, sourceLocation: sourceLocation)
        }
    }
}

/// JPEG files of any height, whose rows of MCUs repeat. Encoding as many pixels would take too long.
enum TallJPEG {
    /// - Parameter rows: Rows of MCUs, of 16 pixels.
    static func make(width: Int, rows: Int, contrast: Double = 0.3) throws -> Data {
        let strips = try (0..<3).map { number in
            var options = ImageEncodingOptions()
            (options.quality, options.chroma) = (0.85, .quarter)
            let pixels = try TestHelpers.TestImages.make(width, 16, .rgba8Opaque) { x, y in
                let noise = Double((x * 7919 + y * 104_729 + number * 31 + x * y) % 97) / 97
                let value = (0.5 + 0.3 * sin(Double(x + number * 9) / 40)) * (1 - contrast) + noise * contrast
                return [value, Double(number + 1) / 4, 1 - value, 1]
            }
            return [UInt8](try JPEGCodec().encode(pixels, options: options))
        }
        return try join(strips, rows: rows, interval: (width + 15) / 16)
    }

    /// The header of the first strip with another height and a restart interval, and the data of all.
    private static func join(_ strips: [[UInt8]], rows: Int, interval: Int) throws -> Data {
        var header = try #require(strips.first)
        let (frame, scan) = try places(in: header)
        let height = rows * 16
        (header[frame + 5], header[frame + 6]) = (UInt8(height >> 8), UInt8(height & 255))
        let scanHeader = header[scan..<scan + 2 + Int(header[scan + 3])]
        var data = Data(header[..<scan])
        data += [0xFF, 0xDD, 0, 4, UInt8(interval >> 8), UInt8(interval & 255)] + scanHeader
        let bodies = try strips.map { strip in
            let start = try places(in: strip).scan
            return strip[(start + scanHeader.count)..<(strip.count - 2)]
        }
        for row in 0..<rows {
            if row > 0 { data += [0xFF, 0xD0 + UInt8((row - 1) % 8)] }
            data += bodies[(row * row + row / 5) % bodies.count]
        }
        return data + [0xFF, 0xD9]
    }

    /// Where the markers of the frame and of the scan are.
    static func places(in file: [UInt8]) throws -> (frame: Int, scan: Int) {
        var (offset, frame) = (2, 0)
        while offset + 4 < file.count {
            if file[offset + 1] == 0xC0 { frame = offset }
            if file[offset + 1] == 0xDA { return (frame, offset) }
            offset += 2 + Int(file[offset + 2]) << 8 + Int(file[offset + 3])
        }
        throw ImageCodecError.truncated
    }

    /// A file with an EXIF orientation.
    static func turned(_ file: Data, _ orientation: UInt8) -> Data {
        let exif: [UInt8] =
            Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
            + [0, 0, 0, 0, 0, 0]
        return file.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file.dropFirst(2)
    }
}
