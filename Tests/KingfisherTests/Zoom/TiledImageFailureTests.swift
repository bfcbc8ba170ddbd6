import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Limits, files that cannot be decoded, and files that change.
@Suite(.timeLimit(.minutes(10))) struct TiledImageFailureTests {
    private let rig: ZoomRig
    private let screen = PixelSize(width: 1_920, height: 1_080)

    init() throws { rig = try ZoomRig() }

    /// The codec's error, or that of `TiledImage`.
    private func reason(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch KingfisherError.cacheError(.cannotLoadDataFromDisk(_, let error)) {
            return error
        } catch KingfisherError.cacheError(.cannotCreateCacheFile(_, _, _, let error)) {
            return error
        } catch {
            Issue.record(error)
            return error
        }
    }

    /// All calls fail with the same error.
    private func expectFailure<Failure: Error & Equatable>(
        of image: TiledImage, _ expected: Failure
    ) async throws {
        for tile in 0..<3 {
            let found = await reason {
                _ = try await image.tile(TiledImage.Tile(level: 0, column: tile % 2, row: 0))
            }
            #expect(found as? Failure == expected)
        }
        let found = await reason { _ = try await image.overview(covering: screen) }
        #expect(found as? Failure == expected)
    }

    private func withSize(_ file: Data, width: Int, height: Int) throws -> Data {
        var bytes = [UInt8](file)
        let frame = try TallJPEG.places(in: bytes).frame
        let size = [height >> 8, height & 255, width >> 8, width & 255]
        for (index, value) in size.enumerated() { bytes[frame + 5 + index] = UInt8(value) }
        return Data(bytes)
    }

    @Test("A header of 1,000 megapixels is accepted, one with more is not")
    func area() async throws {
        let file = try TallJPEG.make(width: 1_301, rows: 4)
        let image = try await rig.open(try withSize(file, width: 40_000, height: 25_000))
        #expect(image.size.area == TiledImage.maximumPixels)
        // The data are those of a smaller image.
        try await expectFailure(of: image, ImageCodecError.corrupt("the image data"))
        let larger = try withSize(file, width: 40_001, height: 25_000)
        let found = await reason { _ = try await rig.open(larger, "larger") }
        #expect(found as? ImageCodecError == .tooLarge(width: 40_001, height: 25_000))
    }

    @Test("The ordinary limits apply to files that must be decoded as a whole")
    func limits() async throws {
        let context = DecodingContext(limits: ImageLimits(maximumPixels: 500_000))
        let png = try PNGCodec().encode(
            TestHelpers.TestImages.gradients(1_000, 600), options: ImageEncodingOptions())
        let url = try rig.file(png, "large.png")
        let found = await reason { _ = try await rig.open(url, [.decodingContext(context)]) }
        #expect(found as? ImageCodecError == .tooLarge(width: 1_000, height: 600))
        let memory = DecodingContext(limits: ImageLimits(maximumFrameBytes: 1 << 20))
        let image = try await rig.open(url, [.decodingContext(memory)])
        try await expectFailure(of: image, ImageCodecError.tooMuchMemory)
        // Parts of a baseline JPEG are within both.
        let jpeg = try rig.file(try TallJPEG.make(width: 1_301, rows: 44), "large.jpg")
        let tiled = try await rig.open(jpeg, [.decodingContext(context)])
        // The image is too large as a whole only, before and after its first view.
        for column in 0...1 {
            let whole = await reason { _ = try await tiled.overview(covering: tiled.size) }
            #expect(whole as? ImageCodecError == .tooLarge(width: 1_301, height: 704))
            _ = try await tiled.tile(TiledImage.Tile(level: 0, column: column, row: 1))
        }
        _ = try await tiled.overview(covering: PixelSize(width: 300, height: 100))
    }

    @Test("Decoded tiles of all images share the room on disk, and give it back")
    func space() async throws {
        let png = try PNGCodec().encode(
            TestHelpers.TestImages.gradients(1_000, 600), options: ImageEncodingOptions())
        let url = try rig.file(png), space = TileSpace(limit: 4_000_000)
        func open() async throws -> TiledImage {
            let source = Source.provider(LocalFileImageDataProvider(fileURL: url))
            return try await TiledImageOpening(source, nil, rig.bench.manager, space, rig.queue).run()
        }
        var first: TiledImage? = try await open()
        _ = try await first?.overview(covering: screen)
        let required = 4 * (1_000 * 600 + 500 * 300)
        #expect(space.used == required)
        let second = try await open()
        try await expectFailure(
            of: second, TiledImageError.tooManyTiles(required: required, limit: 4_000_000))
        #expect(space.used == required)
        first = nil
        #expect(await poll { space.used == 0 })
        _ = try await open().overview(covering: screen)
        #expect(first == nil)
    }

    @Test("Files that are no images, empty, missing or folders fail on opening")
    func opening() async throws {
        for data in [Data(), Data("no image, but some text".utf8)] {
            let found = await reason { _ = try await rig.open(data) }
            #expect(found as? ImageCodecError == .unknownFormat)
        }
        let missing = rig.folder.url.appendingPathComponent("missing")
        #expect(await reason { _ = try await rig.open(missing) } != nil)
        #expect(await reason { _ = try await rig.open(rig.folder.url) } != nil)
    }

    @Test("Truncated and malformed files fail with one error", arguments: [3, 20, 43])
    func malformed(row: Int) async throws {
        let file = try TallJPEG.make(width: 1_301, rows: 44)
        let image = try await rig.open(file.prefix(file.count * row / 44), "truncated")
        try await expectFailure(of: image, ImageCodecError.truncated)
        var bytes = [UInt8](file)
        let scan = try TallJPEG.places(in: bytes).scan
        let start = scan + (file.count - scan) * row / 45
        // A marker that cannot be there; libjpeg accepts other bytes before a restart marker.
        for index in stride(from: start, to: start + 40, by: 2) {
            (bytes[index], bytes[index + 1]) = (0xFF, 0xC4)
        }
        let corrupt = try await rig.open(Data(bytes), "corrupt")
        let found = await reason { _ = try await corrupt.overview(covering: screen) }
        #expect(found is ImageCodecError)
    }

    @Test("A file that is truncated or written in place fails with one error, and tiles stay valid")
    func changed() async throws {
        // Larger than a file that is read into memory.
        let file = try TallJPEG.make(width: 4_000, rows: 200, contrast: 0.9)
        #expect(file.count > 2 << 20)
        let url = try rig.file(file)
        let image = try await rig.open(url)
        let tile = try await image.tile(TiledImage.Tile(level: 0, column: 0, row: 0))
        let before = tile.pixels?.packedBytes
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 100_000)
        try await expectFailure(of: image, TiledImageError.fileChanged)
        try handle.truncate(atOffset: UInt64(file.count))
        try await expectFailure(of: image, TiledImageError.fileChanged)
        #expect(tile.pixels?.packedBytes == before)
        let written = try await rig.open(try rig.file(file, "written"))
        _ = try await written.overview(covering: screen)
        try await Task.sleep(for: .milliseconds(20))
        let other = try FileHandle(forWritingTo: rig.folder.url.appendingPathComponent("written"))
        try other.seek(toOffset: 900_000)
        try other.write(contentsOf: Data(repeating: 0, count: 100_000))
        try await expectFailure(of: written, TiledImageError.fileChanged)
    }

    @Test("A file that is replaced or removed at its path is shown as it was opened")
    func replaced() async throws {
        let file = try TallJPEG.make(width: 1_301, rows: 44)
        let url = try rig.file(file)
        let image = try await rig.open(url)
        try Data("another file, which is no image".utf8).write(to: url, options: .atomic)
        try await rig.expectTiles(of: image, file)
        let removed = try await rig.open(try rig.file(file, "removed"))
        try FileManager.default.removeItem(at: rig.folder.url.appendingPathComponent("removed"))
        try await rig.expectTiles(of: removed, file)
    }
}
