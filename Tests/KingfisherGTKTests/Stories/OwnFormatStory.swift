import Foundation
import Kingfisher
import KingfisherGTK
import Testing

/// The format "farbfeld", which the library does not support: a signature, width and height as 32-bit
/// numbers, four 16-bit samples per pixel. Numbers are big-endian.
private enum Farbfeld {
    static func data(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> [Int]) -> Data {
        var data = Data("farbfeld".utf8)
        for side in [width, height] {
            data.append(contentsOf: [24, 16, 8, 0].map { UInt8(side >> $0 & 255) })
        }
        for y in 0..<height {
            // Multiplication by 257 converts 8 bits to 16: both bytes are equal.
            for x in 0..<width { data.append(contentsOf: pixel(x, y).flatMap { [UInt8($0), UInt8($0)] }) }
        }
        return data
    }

    static func image(_ data: Data, scale: CGFloat) -> Image? {
        let bytes = [UInt8](data)
        guard bytes.count > 16, bytes.starts(with: "farbfeld".utf8) else { return nil }
        let sides = [8, 12].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (width, height) = (sides[0], sides[1])
        guard width <= 4096, height <= 4096, bytes.count == 16 + width * height * 8 else { return nil }
        let pixels = try? PixelBuffer(width: width, height: height, format: .rgba8Straight) { rows, stride in
            for y in 0..<height {
                for sample in 0..<width * 4 {
                    rows[y * stride + sample] = bytes[16 + (y * width * 4 + sample) * 2]
                }
            }
        }
        return pixels.map { Image(pixels: $0, scale: scale) }
    }
}

private struct FarbfeldProcessor: ImageProcessor {
    let identifier = "com.example.FarbfeldProcessor"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        switch item {
        case .image(let image): image
        case .data(let data): Farbfeld.image(data, scale: options.scaleFactor)
        }
    }
}

private struct FarbfeldSerializer: CacheSerializer {
    func data(with image: Image, original: Data?) -> Data? {
        guard let pixels = image.pixels, pixels.format == .rgba8Straight else { return nil }
        return Farbfeld.data(width: pixels.width, height: pixels.height) { x, y in
            pixels.samples(x: x, y: y) ?? []
        }
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
        Farbfeld.image(data, scale: options.scaleFactor)
    }
}

extension GTKTests {
    /// User story 5: a custom processor and a custom serializer add an image format.
    @Suite(.serialized) @MainActor struct OwnFormatStory {
        /// As large as the view; its quarters are red, blue, white and transparent.
        private static let file = Farbfeld.data(width: 240, height: 140) { x, y in
            switch (x < 120, y < 70) {
            case (true, true): [255, 0, 0, 255]
            case (false, true): [0, 0, 255, 255]
            case (true, false): [255, 255, 255, 255]
            case (false, false): [0, 0, 0, 0]
            }
        }

        private let rig: StoryRig

        init() throws { rig = try StoryRig(serving: ["flag.ff": Self.file]) }

        private func isFlag(_ image: Screenshot) -> Bool {
            image.box(of: "ffff0000") == CGRect(x: 20, y: 20, width: 120, height: 70)
                && image.box(of: "ff0000ff") == CGRect(x: 140, y: 20, width: 120, height: 70)
                && image.box(of: "ffffffff") == CGRect(x: 20, y: 90, width: 120, height: 70)
                && image[200, 125] == StoryRig.background
        }

        @Test("A custom format is shown from the network and then from disk")
        func customFormat() async throws {
            try await rig.open()
            let options: KingfisherOptionsInfo = [
                .processor(FarbfeldProcessor()), .cacheSerializer(FarbfeldSerializer()),
            ]
            let fetched = StoryLoad()
            rig.view.kf.setImage(
                with: rig.url("flag.ff"), options: options + [.waitForCache] + rig.options
            ) { fetched.record($0) }
            #expect(try await fetched.result().cacheType == .none)
            #expect(isFlag(try await rig.image()))
            #expect(rig.filesOnDisk == [Self.file])

            rig.cache.clearMemoryCache()
            rig.view.image = nil
            #expect(try await !isFlag(rig.image()))
            let read = StoryLoad()
            rig.view.kf.setImage(with: rig.url("flag.ff"), options: options + rig.options) {
                read.record($0)
            }
            #expect(try await read.result().cacheType == .disk)
            #expect(isFlag(try await rig.image()))
        }
    }
}
