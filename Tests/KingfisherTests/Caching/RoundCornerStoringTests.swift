import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Pixels behind round corners after the image was stored on disk.
@Suite struct RoundCornerStoringTests {
    private let folder: TemporaryFolder
    private let cache: ImageCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "corners", cacheDirectoryURL: folder.url)
    }

    /// Stores the result of `processor` for `original`, and reads it back from disk.
    private func stored(
        _ processor: RoundCornerImageProcessor, of original: Data, by serializer: any CacheSerializer
    ) async throws -> (made: PixelBuffer, read: PixelBuffer, file: ImageFormat) {
        let options: KingfisherOptionsInfo = [.processor(processor), .cacheSerializer(serializer)]
        let parsed = KingfisherParsedOptionsInfo(options)
        let image = try #require(processor.process(item: .data(original), options: parsed))
        try await cache.store(image, original: original, forKey: "key", options: parsed)
        cache.clearMemoryCache()
        let result = try await cache.retrieveImage(forKey: "key", options: options)
        #expect(result.cacheType == .disk)
        let path = cache.cachePath(forKey: "key", processorIdentifier: processor.identifier)
        let file = try Data(contentsOf: URL(filePath: path))
        return (
            try #require(image.pixels), try #require(result.image?.pixels), file.kf.imageFormat
        )
    }

    /// The pixels at the four corners, each converted to RGBA.
    private func corners(_ pixels: PixelBuffer) throws -> [[Int]] {
        let rgba = try pixels.converted(to: pixels.format.isOpaque ? .rgba8Opaque : .rgba8Straight)
        let (right, bottom) = (pixels.width - 1, pixels.height - 1)
        return try [(0, 0), (right, 0), (0, bottom), (right, bottom)].map { x, y in
            try #require(rgba.samples(x: x, y: y))
        }
    }

    private static let lossless: [(String, any CacheSerializer)] = [
        ("Photos/chelsea-eyes.jpg", FormatIndicatedCacheSerializer.png),
        ("PNG/rgba8.png", FormatIndicatedCacheSerializer.png),
        ("PNG/rgba8.png", DefaultCacheSerializer.default),
        ("PNG/gray8.png", DefaultCacheSerializer.default),
        // A still image made from a GIF is stored as PNG.
        ("GIF/delays.gif", DefaultCacheSerializer.default),
    ]

    @Test("A PNG keeps the transparency of every pixel", arguments: lossless)
    func transparent(original: String, serializer: any CacheSerializer) async throws {
        let (made, read, file) = try await stored(
            RoundCornerImageProcessor(cornerRadius: 6), of: Fixtures.data(named: original), by: serializer)
        #expect(file == .PNG)
        #expect(try corners(read).allSatisfy { $0[3] == 0 })
        for y in 0..<made.height {
            for x in 0..<made.width {
                #expect(made.samples(x: x, y: y)?.last == read.samples(x: x, y: y)?.last)
            }
        }
    }

    private static let lossy: [any CacheSerializer] = [
        DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.jpeg,
        FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.9),
    ]
    private static let amber = Color(red: 1, green: 0.8, blue: 0.2)
    private static let backgrounds: [(Color?, [Int])] = [
        (nil, [255, 255, 255]), (amber, [255, 204, 51]), (.black, [0, 0, 0]), (.clear, [255, 255, 255]),
        // Half transparent, over white.
        (amber.withAlphaComponent(0.5), [255, 230, 153]),
    ]

    @Test("A JPEG has the background in the corners, over white", arguments: lossy, backgrounds)
    func opaque(serializer: any CacheSerializer, background: (color: Color?, expected: [Int])) async throws {
        let original = try TestImages.jpeg
        let (made, read, file) = try await stored(
            RoundCornerImageProcessor(cornerRadius: 24, backgroundColor: background.color), of: original,
            by: serializer)
        #expect(file == .JPEG && read.format.isOpaque)
        // JPEG stores colour less precisely than brightness.
        for corner in try corners(read) {
            #expect(zip(corner, background.expected).allSatisfy { abs($0 - $1) <= 24 }, "\(corner)")
        }
        // Partly transparent pixels along the arc must not be darker.
        var sum = 0
        for y in 0..<24 {
            for x in 0..<24 {
                let (whole, part) = (
                    try #require(read.samples(x: x, y: y)), try #require(made.samples(x: x, y: y))
                )
                for channel in 0..<3 { sum += abs(whole[channel] - part[channel] - 255 + part[3]) }
            }
        }
        #expect(sum < 24 * 24 * 3 * 4, "\(sum)")
    }
}
