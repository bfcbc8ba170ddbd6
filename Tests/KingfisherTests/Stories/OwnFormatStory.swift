import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// An image as text: "P3", width, height, 255, three numbers for each pixel. The library has no codec for it.
private enum PPM {
    static func image(_ data: Data, scale: CGFloat) -> Image? {
        let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let numbers = words.dropFirst().compactMap { UInt8($0) }
        guard words.first == "P3", numbers.count == words.count - 1, numbers.count > 3, numbers[2] == 255
        else { return nil }
        let (width, height, samples) = (Int(numbers[0]), Int(numbers[1]), Array(numbers.dropFirst(3)))
        guard samples.count == width * height * 3 else { return nil }
        let pixels = try? PixelBuffer(width: width, height: height, format: .rgba8Opaque) { rows, stride in
            for (y, x) in (0..<height).flatMap({ y in (0..<width).map { (y, $0) } }) {
                let pixel = samples[(y * width + x) * 3..<(y * width + x) * 3 + 3]
                for (channel, sample) in (pixel + [255]).enumerated() {
                    rows[y * stride + x * 4 + channel] = sample
                }
            }
        }
        return pixels.map { Image(pixels: $0, scale: scale) }
    }

    static func data(_ image: Image) -> Data? {
        guard let pixels = image.pixels else { return nil }
        let rows = (0..<pixels.height).map { y in
            (0..<pixels.width).flatMap { pixels.samples(x: $0, y: y)?.prefix(3) ?? [] }
                .map(String.init).joined(separator: " ")
        }
        return Data("P3\n\(pixels.width) \(pixels.height)\n255\n\(rows.joined(separator: "\n"))\n".utf8)
    }
}

private struct PPMProcessor: ImageProcessor {
    let identifier = "com.example.PPMProcessor"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        switch item {
        case .image(let image): image
        case .data(let data): PPM.image(data, scale: options.scaleFactor)
        }
    }
}

private struct PPMSerializer: CacheSerializer {
    func data(with image: Image, original: Data?) -> Data? {
        PPM.data(image)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        PPM.image(data, scale: options.scaleFactor)
    }
}

/// User story 5: a custom processor and serializer add a format.
@Suite @MainActor struct OwnFormatStory {
    private static let file = "P3\n3 2\n255\n255 0 0  0 255 0  0 0 255\n1 2 3  40 50 60  255 255 255\n"
    private static let pixels = [
        [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [1, 2, 3, 255], [40, 50, 60, 255],
        [255, 255, 255, 255],
    ]

    let rig: ImageViewLoadingRig
    private let options: KingfisherOptionsInfo = [
        .processor(PPMProcessor()), .cacheSerializer(PPMSerializer()),
    ]

    init() throws {
        rig = ImageViewLoadingRig(try Bench(serving: Data(Self.file.utf8)))
    }

    private var shown: [[Int]?] {
        (0..<2).flatMap { y in (0..<3).map { x in rig.view.image?.pixels?.samples(x: x, y: y) } }
    }

    @Test("A custom format is shown from the network and then from disk, where it has the custom format")
    func ownFormat() async throws {
        #expect(Data(Self.file.utf8).kf.imageFormat == .unknown)
        let fetched = try await rig.load(options + [.waitForCache]).result().get()
        #expect(fetched.cacheType == .none && shown == Self.pixels)

        let files = rig.bench.filesOnDisk
        #expect(files.count == 1)
        let folder = rig.bench.cache.diskStorage.directoryURL
        let stored = try Data(contentsOf: folder.appending(path: try #require(files.first)))
        #expect(String(decoding: stored, as: UTF8.self).hasPrefix("P3\n3 2\n255\n255 0 0 0 255 0"))

        rig.bench.cache.clearMemoryCache()
        rig.view.image = nil
        let read = try await rig.load(options).result().get()
        #expect(read.cacheType == .disk && shown == Self.pixels)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("The processor can be chained with the library's, and the scale factor applies")
    func chain() async throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 1, height: 1), anchor: .zero)
        let chain: KingfisherOptionsInfo = [
            .processor(PPMProcessor() |> crop), .cacheSerializer(PPMSerializer()), .scaleFactor(2),
        ]
        let image = try await rig.load(chain).result().get().image
        #expect(image.size == CGSize(width: 1, height: 1) && image.pixels?.width == 2)
        #expect(image.pixels?.samples(x: 1, y: 1) == [40, 50, 60, 255])
    }

    @Test("Without the processor the bytes are not decodable")
    func unknown() async throws {
        #expect(reason(try await rig.load().result()) == "processingFailed")
        #expect(rig.view.image == nil && rig.bench.filesOnDisk.isEmpty)
    }
}
