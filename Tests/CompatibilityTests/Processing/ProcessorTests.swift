import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// A custom processor.
private struct Watermark: ImageProcessor {
    let identifier = "com.example.watermark"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.overlaying(with: .blue, fraction: 0)
        case .data: (DefaultImageProcessor.default |> self).process(item: item, options: options)
        }
    }
}

/// A custom filter that makes everything red.
private struct Redden: PixelFilterProcessor {
    let identifier = "com.example.redden"
    let filter = Filter.tint(.red)
}

@Suite(.timeLimit(.minutes(1))) struct ProcessorTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    /// Loads the badge, 256 x 256 with transparent corners, or another image, through a processor.
    private func load(
        _ processor: any ImageProcessor, _ path: String = "Photos/badge.png"
    ) async throws -> KFCrossPlatformImage {
        let url = box.url(path)
        let value = try await box.manager.retrieveImage(
            with: url, options: [.processor(processor), .waitForCache])
        #expect(box.cache.isCached(forKey: url.cacheKey, processorIdentifier: processor.identifier))
        return value.image
    }

    /// The samples of a pixel: red, green, blue and, if present, alpha.
    private func pixel(_ image: KFCrossPlatformImage, _ x: Int, _ y: Int) throws -> [Int] {
        try #require(image.pixels?.converted(to: .rgba8Straight).samples(x: x, y: y))
    }

    @Test("A downsampling processor decodes a thumbnail that fits")
    func downsampling() async throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
        #expect(processor.identifier == "com.onevcat.Kingfisher.DownsamplingImageProcessor((100.0, 100.0))")
        let image = try await load(processor, "Photos/coffee.jpg")
        #expect(image.size.width == 100 && (66...67).contains(image.size.height))
    }

    @Test("A resizing processor stretches, fits or fills")
    func resizing() async throws {
        let size = CGSize(width: 100, height: 100)
        for (mode, width, height) in [
            (ContentMode.none, 100, 100), (.aspectFit, 100, 67), (.aspectFill, 150, 100),
        ] {
            let processor = ResizingImageProcessor(referenceSize: size, mode: mode)
            let image = try await load(processor, "Photos/coffee.jpg")
            #expect(image.size == CGSize(width: width, height: height))
        }
    }

    @Test("A round corner processor rounds all or some corners, with or without a background")
    func roundCorners() async throws {
        let round = try await load(RoundCornerImageProcessor(cornerRadius: 20), "Photos/astronaut.jpg")
        #expect(try pixel(round, 0, 0)[3] == 0 && pixel(round, 256, 256)[3] == 255)
        let left = RoundCornerImageProcessor(
            radius: .widthFraction(0.25), targetSize: CGSize(width: 64, height: 64),
            roundingCorners: [.topLeft, .bottomLeft], backgroundColor: .green)
        let image = try await load(left, "Photos/astronaut.jpg")
        #expect(image.size == CGSize(width: 64, height: 64))
        #expect(try pixel(image, 0, 0) == [0, 255, 0, 255] && pixel(image, 63, 0) != [0, 255, 0, 255])
    }

    @Test("A border processor draws a border")
    func border() async throws {
        let processor = BorderImageProcessor(border: Border(color: .red, lineWidth: 6, radius: .point(0)))
        let image = try await load(processor, "Photos/astronaut.jpg")
        #expect(try pixel(image, 2, 2) == [255, 0, 0, 255] && pixel(image, 20, 20) != [255, 0, 0, 255])
        #expect(Border().lineWidth == 4 && Border().roundingCorners == .all)
    }

    @Test("A blur processor blurs an image")
    func blur() async throws {
        let url = "PNG/rgb8.png"
        let (sharp, soft) = (
            try await load(DefaultImageProcessor.default, url),
            try await load(BlurImageProcessor(blurRadius: 8), url)
        )
        #expect(soft.size == sharp.size)
        func spread(_ image: KFCrossPlatformImage) throws -> Int {
            let reds = try (0..<33).map { try pixel(image, $0, 10)[0] }
            return (reds.max() ?? 0) - (reds.min() ?? 0)
        }
        #expect(try spread(soft) < spread(sharp))
    }

    @Test("An overlay processor adds a colour")
    func overlay() async throws {
        let image = try await load(OverlayImageProcessor(overlay: .red, fraction: 0), "JPEG/420.jpg")
        #expect(try pixel(image, 10, 10) == [255, 0, 0, 255])
    }

    @Test("A tint processor tints an image")
    func tint() async throws {
        let plain = try await load(DefaultImageProcessor.default, "JPEG/420.jpg")
        let tinted = try await load(TintImageProcessor(tint: .green.withAlphaComponent(0.5)), "JPEG/420.jpg")
        #expect(try pixel(tinted, 24, 18)[1] > pixel(plain, 24, 18)[1])
        #expect(try pixel(tinted, 24, 18)[0] < pixel(plain, 24, 18)[0])
    }

    @Test("Colour processors remove or change the colours")
    func colors() async throws {
        let plain = try await load(DefaultImageProcessor.default, "JPEG/420.jpg")
        let gray = try await load(BlackWhiteProcessor(), "JPEG/420.jpg")
        let samples = try pixel(gray, 24, 18).prefix(3)
        #expect((samples.max() ?? 9) - (samples.min() ?? 0) <= 1)
        let processor = ColorControlsProcessor(brightness: 0.2, contrast: 1, saturation: 1, inputEV: 0)
        let bright = try await load(processor, "JPEG/420.jpg")
        #expect(try pixel(bright, 24, 18)[0] > pixel(plain, 24, 18)[0])
    }

    @Test("A cropping processor cuts out a part")
    func cropping() async throws {
        let processor = CroppingImageProcessor(
            size: CGSize(width: 20, height: 10), anchor: CGPoint(x: 1, y: 0))
        let plain = try await load(DefaultImageProcessor.default, "JPEG/420.jpg")
        let cut = try await load(processor, "JPEG/420.jpg")
        #expect(cut.size == CGSize(width: 20, height: 10))
        #expect(try pixel(cut, 19, 0) == pixel(plain, 47, 0))
    }

    @Test("A blend processor blends with a colour")
    func blending() async throws {
        let processor = BlendImageProcessor(blendMode: .darken, alpha: 1, backgroundColor: .black)
        let image = try await load(processor, "JPEG/420.jpg")
        #expect(try pixel(image, 24, 18) == [0, 0, 0, 255] && processor.blendMode == .darken)
    }

    @Test("A chain makes one image and one cache entry")
    func chain() async throws {
        let processor =
            DownsamplingImageProcessor(size: CGSize(width: 64, height: 64))
            |> RoundCornerImageProcessor(cornerRadius: 10)
        let image = try await load(processor)
        #expect(image.size == CGSize(width: 64, height: 64))
        #expect(try pixel(image, 0, 0)[3] == 0)
        let same = DownsamplingImageProcessor(size: CGSize(width: 64, height: 64))
            .append(another: RoundCornerImageProcessor(cornerRadius: 10))
        #expect(same.identifier == processor.identifier)
    }

    @Test("A custom processor changes an image")
    func own() async throws {
        let image = try await load(Watermark(), "JPEG/420.jpg")
        #expect(try pixel(image, 5, 5) == [0, 0, 255, 255])
        let red = try await load(Redden(), "JPEG/420.jpg")
        #expect(try pixel(red, 5, 5) == [255, 0, 0, 255])
    }

    @Test("A processor without output is an error with its identifier")
    func fails() async {
        struct Nothing: ImageProcessor {
            let identifier = "com.example.nothing"
            func process(
                item: ImageProcessItem, options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? { nil }
        }
        let error = await #expect(throws: KingfisherError.self) { try await load(Nothing()) }
        guard case .processorError(reason: .processingFailed(let processor, let item))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        guard case .data(let data) = item else {
            Issue.record("\(item)")
            return
        }
        #expect(processor.identifier == "com.example.nothing" && data.count == 131_501)
    }
}
