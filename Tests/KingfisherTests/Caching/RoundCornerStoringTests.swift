import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// What is behind round corners once they have been on disk.
@Suite struct RoundCornerStoringTests {
    private let folder: TemporaryFolder
    private let cache: ImageCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "corners", cacheDirectoryURL: folder.url)
    }

    /// Stores what `processor` makes of `original`, and reads it back from disk.
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

    /// The pixels at the four corners, each brought to red, green, blue and alpha.
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
        // A still that was made of a GIF is kept as PNG.
        ("GIF/delays.gif", DefaultCacheSerializer.default),
    ]

    @Test("As PNG every pixel keeps its transparency", arguments: lossless)
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
    private static let grounds: [(Color?, [Int])] = [
        (nil, [255, 255, 255]), (amber, [255, 204, 51]), (.black, [0, 0, 0]), (.clear, [255, 255, 255]),
        // Half of it, over white.
        (amber.withAlphaComponent(0.5), [255, 230, 153]),
    ]

    @Test("As JPEG the corners are the background, and white behind it", arguments: lossy, grounds)
    func opaque(serializer: any CacheSerializer, ground: (color: Color?, expected: [Int])) async throws {
        let original = try TestImages.jpeg
        let (made, read, file) = try await stored(
            RoundCornerImageProcessor(cornerRadius: 24, backgroundColor: ground.color), of: original,
            by: serializer)
        #expect(file == .JPEG && read.format.isOpaque)
        // JPEG keeps less of colours than of light.
        for corner in try corners(read) {
            #expect(zip(corner, ground.expected).allSatisfy { abs($0 - $1) <= 24 }, "\(corner)")
        }
        // Along the arc, too: no dark seam where a pixel is transparent in part.
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
