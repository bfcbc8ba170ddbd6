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
