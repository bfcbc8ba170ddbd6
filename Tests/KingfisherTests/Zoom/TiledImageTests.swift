import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Tiles of images, compared with the whole image.
@Suite(.timeLimit(.minutes(10))) struct TiledImageTests {
    private let rig: ZoomRig

    init() throws { rig = try ZoomRig() }

    @Test("Levels halve the size, rounded up, down to one tile")
    func levels() {
        let levels = TileLevels(PixelSize(width: 30_001, height: 20_000))
        #expect(levels.count == 7)
        #expect(levels.size(of: 1) == PixelSize(width: 15_001, height: 10_000))
        #expect(levels.size(of: 6) == PixelSize(width: 469, height: 313))
        #expect(levels.size(of: -1) == levels.size && levels.size(of: 7) == levels.size(of: 6))
        #expect(levels.smallest(covering: PixelSize(width: 1_920, height: 1_080)) == 3)
        #expect(levels.smallest(covering: PixelSize(width: 469, height: 313)) == 6)
        #expect(levels.smallest(covering: PixelSize(width: 469, height: 314)) == 5)
        #expect(levels.smallest(covering: PixelSize(width: 40_000, height: 1)) == 0)
        let corner = levels.area(of: TiledImage.Tile(level: 0, column: 58, row: 39))
        #expect(corner == PixelArea(x: 29_696, y: 19_968, size: PixelSize(width: 305, height: 32)))
        for (level, column, row) in [(0, 59, 0), (0, 0, 40), (0, -1, 0), (0, 0, -1), (7, 0, 0), (-1, 0, 0)] {
            #expect(levels.area(of: TiledImage.Tile(level: level, column: column, row: row)) == nil)
        }
        #expect(TileLevels(PixelSize(width: 512, height: 1)).count == 1)
    }

    @Test("Tiles of a baseline JPEG are the whole image's pixels in all orientations", arguments: 1...8)
    func jpeg(orientation: Int) async throws {
        let file = TallJPEG.turned(try TallJPEG.make(width: 1_301, rows: 44), UInt8(orientation))
        let image = try await rig.open(file)
        let size = PixelSize(width: 1_301, height: 704)
        #expect(image.size == (orientation > 4 ? size.swapped : size))
        #expect(image.levelCount == 3)
        try await rig.expectTiles(of: image, file)
        #expect(rig.space.used == 0)
    }

    @Test("Levels beyond an eighth are made of it")
    func deepLevels() async throws {
        let image = try await rig.open(try TallJPEG.make(width: 5_000, rows: 300))
        #expect(image.levelCount == 5)
        let small = PixelSize(width: 300, height: 200)
        let overview = try #require(try await image.overview(covering: small).pixels)
        #expect(overview.size == PixelSize(width: 313, height: 300))
        try await rig.expectTiles(of: image, level: 4, overview)
        let eighth = try #require(try await image.overview(covering: image.size(ofLevel: 3)).pixels)
        try await rig.expectTiles(of: image, level: 3, eighth)
        #expect(try PixelDifference(overview, eighth.resized(to: overview.size))?.largest == 0)
    }

    @Test("Files that must be decoded as a whole have the same tiles")
    func pyramid() async throws {
        var progressive = ImageEncodingOptions()
        progressive.isProgressive = true
        let pixels = try TestHelpers.TestImages.gradients(1_100, 700)
        let files = [
            try JPEGCodec().encode(pixels, options: progressive),
            try PNGCodec().encode(pixels, options: ImageEncodingOptions()),
            try PNGCodec().encode(
                TestHelpers.TestImages.gradients(1_030, 515, depth: .sixteen, alpha: true),
                options: ImageEncodingOptions()),
            try Fixtures.data(named: "Color/cmyk.jpg"), try Fixtures.data(named: "Color/display-p3.png"),
            try Fixtures.data(named: "Color/rec2020.jpg"), try Fixtures.data(named: "Orientation/exif-6.png"),
            try Fixtures.data(named: "Photos/cat.gif"),
        ]
        for (number, file) in files.enumerated() {
            let image = try await rig.open(file, "\(number)")
            try await rig.expectTiles(of: image, file)
        }
        let deep = try await rig.open(files[2])
        let tile = try await deep.tile(TiledImage.Tile(level: 0, column: 1, row: 0))
        #expect(tile.pixels?.bitsPerComponent == 16)
    }

    @Test("A tile may be the first call, and one outside of the image is an error that is not final")
    func firstCall() async throws {
        let file = try TallJPEG.make(width: 1_301, rows: 44)
        let image = try await rig.open(file)
        await #expect(throws: KingfisherError.self) {
            _ = try await image.tile(TiledImage.Tile(level: 0, column: 3, row: 0))
        }
        let whole = try ImageCodecs.open(file).decoder.decode(.full)
        try await rig.expectTiles(of: image, level: 0, whole)
    }

    @Test("Other sources are loaded into the disk cache, whose file is held open")
    func download() async throws {
        let file = try TallJPEG.make(width: 1_301, rows: 44)
        let bench = try Bench(serving: file)
        let image = try await TiledImageOpening(
            .network(bench.url), nil, bench.manager, rig.space, rig.queue
        ).run()
        // As for an access, which extends the time to live.
        let entry = URL(filePath: bench.cache.cachePath(forKey: bench.url.cacheKey))
        try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: entry.path)
        try await rig.expectTiles(of: image, file)
        try await bench.cache.clearDiskCache()
        try await rig.expectTiles(of: image, file)
        #expect(bench.stub.requests.count == 1)
    }
}
