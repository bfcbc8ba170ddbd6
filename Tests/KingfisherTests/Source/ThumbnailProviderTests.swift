import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct ThumbnailProviderTests {
    private typealias Failure = ThumbnailImageDataProvider.ThumbnailImageDataProviderError

    /// The decoded thumbnail of a file, and its format.
    private func thumbnail(
        of file: URL, _ side: CGFloat, always: Bool = true
    ) async throws -> (image: KFCrossPlatformImage, format: ImageFormat) {
        let data = try await ThumbnailImageDataProvider(
            url: file, maxPixelSize: side, alwaysCreateThumbnail: always
        ).data()
        return (try TestImages.image(data), data.kf.imageFormat)
    }

    private func failure(of file: URL, _ side: CGFloat = 100, always: Bool = true) async -> Failure? {
        do {
            _ = try await thumbnail(of: file, side, always: always)
            return nil
        } catch {
            return error as? Failure
        }
    }

    /// A new file with these bytes.
    private func file(_ data: Data, in folder: TemporaryFolder) throws -> URL {
        let file = folder.url.appending(path: "image")
        try data.write(to: file)
        return file
    }

    @Test(
        "A thumbnail has the pixels of a reference implementation",
        arguments: [
            ("coffee.jpg", "photo-100x67.rgba", ImageFormat.JPEG, 33.0),
            ("badge.png", "photo-64x64.rgba", .PNG, 45),
        ])
    func pixels(photo: String, reference: String, format: ImageFormat, psnr: Double) async throws {
        let expected = try Fixtures.data(named: "Drawing/\(reference)").map(Int.init)
        let file = Fixtures.url(named: "Photos/\(photo)")
        let side: CGFloat = format == .PNG ? 64 : 100
        let (image, found) = try await thumbnail(of: file, side)
        #expect(found == format)
        let pixels = try #require(try image.pixels?.converted(to: .rgba8Premultiplied))
        #expect(max(pixels.width, pixels.height) == Int(side))
        let measured = try #require(PixelDifference(pixels.allSamples, expected)).psnr
        #expect(measured > psnr)
    }

    @Test("The key contains the file, the size and whether the thumbnail is always made")
    func keys() throws {
        let file = URL(filePath: "/tmp/a b.jpg")
        #expect(
            ThumbnailImageDataProvider(url: file, maxPixelSize: 40).cacheKey
                == "file:///tmp/a%20b.jpg_thumb_40.0_true")
        #expect(
            ThumbnailImageDataProvider(url: file, maxPixelSize: 12.5, alwaysCreateThumbnail: false).cacheKey
                == "file:///tmp/a%20b.jpg_thumb_12.5_false")
        #expect(ThumbnailImageDataProvider(url: file, maxPixelSize: 40, cacheKey: "own").cacheKey == "own")
    }

    @Test("A manager makes a thumbnail off the caller's thread and caches it by its key")
    func throughTheManager() async throws {
        let bench = try Bench()
        let provider = ThumbnailImageDataProvider(
            url: Fixtures.url(named: "Photos/astronaut.jpg"), maxPixelSize: 50)
        let result = try await bench.retrieve(.provider(provider), [.waitForCache]).get()
        #expect(result.image.size == CGSize(width: 50, height: 50))
        #expect(bench.cache.isCached(forKey: provider.cacheKey))
        let caller = ThreadIdentity.current
        let elsewhere: Bool = try await outcome { done in
            let latch = Latch()
            provider.data { _ in
                // The caller's thread is blocked, so its mark is unique.
                done(ThreadIdentity.current != caller)
                latch.open()
            }
            _ = latch.wait()
        }
        #expect(elsewhere)
    }

    @Test("Smaller images preserve their size; alpha, animations and orientation are respected")
    func kinds() async throws {
        let small = try await thumbnail(of: Fixtures.url(named: "PNG/rgba8.png"), 500)
        #expect(small.image.size == TestImages.pngSize && small.format == .PNG)
        let animation = try await thumbnail(of: Fixtures.url(named: "GIF/delays.gif"), 5)
        #expect(animation.image.kf.imageFrameCount == nil && animation.image.size.width <= 5)
        let turned = try await thumbnail(of: Fixtures.url(named: "JPEG/orientation-6.jpg"), 17)
        #expect(turned.image.size == CGSize(width: 12, height: 17))
        let gray = try await thumbnail(of: Fixtures.url(named: "Photos/camera.jpg"), 64)
        #expect(gray.image.pixels?.format == .gray8 && gray.format == .JPEG)
    }

    // MARK: Embedded thumbnails

    /// A photograph whose embedded thumbnail is a grey plate, so that the two are distinguishable.
    private func photograph(
        plate: CGSize, orientation: UInt8 = 1, photo: String = "coffee.jpg",
        spoil: (inout Data) -> Void = { _ in }
    ) throws -> Data {
        let jpeg = try Fixtures.data(named: "Photos/\(photo)")
        let size = (width: Int(plate.width), height: Int(plate.height))
        let gray = try PixelBuffer(width: size.width, height: size.height, format: .gray8) { rows, _ in
            _ = rows.initializeMemory(as: UInt8.self, repeating: 90)
        }
        let small = try #require(Image(pixels: gray).jpegData(compressionQuality: 0.8))
        // TIFF 6.0, big-endian: a directory with the orientation, then one with the thumbnail after it.
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(1, 4) + value
                + Array(repeating: 0, count: 4 - value.count)
        }
        var tiff = Data("MM".utf8)
        tiff += number(42, 2) + number(8, 4)
        tiff += number(1, 2) + entry(0x0112, 3, [0, orientation]) + number(26, 4)
        tiff += number(3, 2) + entry(0x0103, 3, [0, 6]) + entry(0x0201, 4, number(68, 4))
        tiff += entry(0x0202, 4, number(small.count, 4)) + number(0, 4)
        tiff += small
        spoil(&tiff)
        let body = Data("Exif\0\0".utf8) + tiff
        var file = Data(jpeg.prefix(2))
        file += [0xFF, 0xE1] + number(body.count + 2, 2)
        return file + body + jpeg.dropFirst(2)
    }

    private func isPlate(_ image: KFCrossPlatformImage) -> Bool {
        guard let pixels = image.pixels else { return false }
        return [(0, 0), (pixels.width / 2, pixels.height / 2)].allSatisfy { x, y in
            (pixels.samples(x: x, y: y)?.prefix(3)).map { $0.allSatisfy { abs(Int($0) - 90) < 4 } } ?? false
        }
    }

    @Test("An embedded thumbnail is used if it is large enough and has the proportions of the image")
    func embedded() async throws {
        let folder = try TemporaryFolder()
        let plate = CGSize(width: 160, height: 107)
        let photo = try file(try photograph(plate: plate), in: folder)
        let served = try await thumbnail(of: photo, 100, always: false)
        #expect(isPlate(served.image) && served.image.size == CGSize(width: 100, height: 67))
        let made = try await thumbnail(of: photo, 100, always: true)
        #expect(!isPlate(made.image))
        let larger = try await thumbnail(of: photo, 300, always: false)
        #expect(!isPlate(larger.image) && larger.image.size.width == 300)
        let turned = try file(try photograph(plate: plate, orientation: 6), in: folder)
        let upright = try await thumbnail(of: turned, 100, always: false)
        #expect(isPlate(upright.image) && upright.image.size == CGSize(width: 67, height: 100))
        // Black bars above and below, as some cameras add them.
        let barred = try file(try photograph(plate: CGSize(width: 160, height: 120)), in: folder)
        #expect(!isPlate(try await thumbnail(of: barred, 100, always: false).image))
    }

    @Test("An embedded thumbnail with invalid metadata is ignored")
    func invalidEmbeddedThumbnails() async throws {
        let folder = try TemporaryFolder()
        let plate = CGSize(width: 160, height: 107)
        let cuts: [(inout Data) -> Void] = [
            { $0.removeLast(200) }, { $0.removeLast($0.count - 30) }, { $0[60] = 0xFF }, { $0[48] = 0x7F },
            { $0[22] = 0xFF }, { $0[68] = 0 }, { $0[28] = 0xFF }, { $0[0] = 0x58 }, { $0[37] = 1 },
        ]
        for (number, cut) in cuts.enumerated() {
            let photo = try file(try photograph(plate: plate, spoil: cut), in: folder)
            let result = try await thumbnail(of: photo, 100, always: false)
            #expect(!isPlate(result.image), "cut \(number)")
            #expect(result.image.size == CGSize(width: 100, height: 67))
        }
    }

    // MARK: Invalid files

    @Test("Corrupt files and paths without a file have specific errors")
    func failures() async throws {
        let folder = try TemporaryFolder()
        let remote = try #require(URL(string: "https://example.com/photo.jpg"))
        #expect(await failure(of: remote) == .invalidImageSource)
        #expect(await failure(of: folder.url.appending(path: "none")) == .invalidImageSource)
        #expect(await failure(of: folder.url) == .invalidImageSource)
        #expect(await failure(of: URL(filePath: "/dev/zero")) == .invalidImageSource)
        for text in ["", "x", "this is no image at all"] {
            #expect(await failure(of: try file(Data(text.utf8), in: folder)) == .invalidImageSource)
        }
        let jpeg = try TestImages.jpeg
        let broken = [
            try HostileFile.hugeJPEG(), try HostileFile.hugePNG(), jpeg.prefix(jpeg.count / 2),
            jpeg.prefix(20),
            try TestImages.png.prefix(40),
        ]
        for data in broken {
            let file = try file(data, in: folder)
            #expect(await failure(of: file) == .invalidThumbnail)
            #expect(await failure(of: file, always: false) == .invalidThumbnail)
        }
        let photo = Fixtures.url(named: "Photos/coffee.jpg")
        for side in [0, -5, 0.4, .nan] { #expect(await failure(of: photo, side) == .invalidThumbnail) }
        #expect(try await thumbnail(of: photo, .infinity).image.size == CGSize(width: 512, height: 341))
    }

    @Test("A pipe is refused immediately")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "pipe")
        try #require(mkfifo(path.path, 0o600) == 0)
        #expect(await failure(of: path) == .invalidImageSource)
    }

    @Test("A huge file with only an image header uses no memory")
    func hugeFile() async throws {
        let folder = try TemporaryFolder()
        let file = try file(Data([0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0, count: 60)), in: folder)
        // Sparse: 64 GB that occupy no space.
        try #require(truncate(file.path, 64 << 30) == 0)
        let before = ProcessStatus.residentBytes
        #expect(await failure(of: file) == .invalidImageSource)
        #expect(ProcessStatus.residentBytes - before < 200 << 20 || ProcessStatus.isSanitized)
    }
}
