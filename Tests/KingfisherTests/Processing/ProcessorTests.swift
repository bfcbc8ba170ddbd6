import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ProcessorTests {
    private let options = KingfisherParsedOptionsInfo(nil)
    private let doubled = KingfisherParsedOptionsInfo([.scaleFactor(2)])

    private func process(
        _ processor: any ImageProcessor, _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo? = nil
    ) throws -> Image {
        let options = options ?? self.options
        return try #require(processor.process(item: item, options: options))
    }

    private var processors: [any ImageProcessor] {
        let size = CGSize(width: 6, height: 6)
        return [
            DefaultImageProcessor.default, ResizingImageProcessor(referenceSize: size),
            CroppingImageProcessor(size: size), DownsamplingImageProcessor(size: size),
            RoundCornerImageProcessor(cornerRadius: 2), BlurImageProcessor(blurRadius: 2),
            BorderImageProcessor(border: Border()), OverlayImageProcessor(overlay: .red),
            BlendImageProcessor(blendMode: .multiply, alpha: 0.5, backgroundColor: .orange),
            TintImageProcessor(tint: .red.withAlphaComponent(0.4)), BlackWhiteProcessor(),
            ColorControlsProcessor(brightness: 0.1, contrast: 1.2, saturation: 1.5, inputEV: 0.3),
            SepiaProcessor(),
            BlurImageProcessor(blurRadius: 2) |> CroppingImageProcessor(size: size),
        ]
    }

    @Test("Every processor accepts bytes and images, and refuses undecodable bytes")
    func items() throws {
        for processor in processors {
            _ = try process(processor, .data(TestImages.png))
            _ = try process(processor, .image(TestImages.image))
            #expect(processor.process(item: .data(TestImages.garbage), options: options) == nil)
            #expect(processor.process(item: .data(Data()), options: options) == nil)
        }
    }

    @Test(
        "The result has the scale of the options, from bytes and from an image of another scale",
        .behaviours("I-17"))
    func scale() throws {
        for processor in processors {
            #expect(try process(processor, .data(TestImages.png), doubled).scale == 2)
            #expect(try process(processor, .image(TestImages.image), doubled).scale == 2)
        }
    }

    @Test(
        "The default processor changes only the scale, and returns the same image for the same scale",
        .behaviours("I-17")
    )
    func defaultProcessor() throws {
        let image = try TestImages.image
        let scaled = try process(DefaultImageProcessor.default, .image(image), doubled)
        #expect(scaled.size == CGSize(width: 16.5, height: 10.5))
        #expect(samePixels(scaled, image))
        #expect(try process(DefaultImageProcessor.default, .image(image)) === image)
    }

    @Test("Results have the expected sizes in points")
    func sizes() throws {
        let badge = try Fixtures.data(named: "Photos/badge.png")
        let target = CGSize(width: 100, height: 50)
        let cases: [(any ImageProcessor, CGSize)] = [
            (ResizingImageProcessor(referenceSize: target), target),
            (ResizingImageProcessor(referenceSize: target, mode: .aspectFit), CGSize(width: 50, height: 50)),
            (
                ResizingImageProcessor(referenceSize: target, mode: .aspectFill),
                CGSize(width: 100, height: 100)
            ),
            (CroppingImageProcessor(size: target), target),
            (DownsamplingImageProcessor(size: target), CGSize(width: 100, height: 100)),
            (RoundCornerImageProcessor(cornerRadius: 4, targetSize: target), target),
            (RoundCornerImageProcessor(cornerRadius: 4), CGSize(width: 256, height: 256)),
            (BlurImageProcessor(blurRadius: 4), CGSize(width: 256, height: 256)),
        ]
        for (processor, size) in cases {
            #expect(try process(processor, .data(badge)).size == size, "\(processor.identifier)")
            #expect(
                try process(processor, .image(TestImages.image(badge))).size == size,
                "\(processor.identifier)")
        }
    }

    @Test("A round corner processor computes its size before the image is rescaled", .behaviours("I-17"))
    func roundCornerSize() throws {
        let image = try TestImages.image
        let rounded = try process(RoundCornerImageProcessor(cornerRadius: 2), .image(image), doubled)
        #expect(rounded.size == image.size)
        #expect(rounded.scale == 2)
    }

    @Test("Rounded corners are transparent, the centre and the other corners are opaque")
    func roundCorners() throws {
        let photo = try TestImages.jpeg
        let rounded = try process(
            RoundCornerImageProcessor(cornerRadius: 20, roundingCorners: [.topLeft, .bottomRight]),
            .data(photo))
        let pixels = try #require(rounded.pixels)
        let (right, bottom) = (pixels.width - 1, pixels.height - 1)
        func alpha(_ x: Int, _ y: Int) -> Int? { pixels.samples(x: x, y: y)?.last }
        #expect(alpha(0, 0) == 0)
        #expect(alpha(right, bottom) == 0)
        #expect(alpha(right, 0) == 255)
        #expect(alpha(0, bottom) == 255)
        #expect(alpha(right / 2, bottom / 2) == 255)
    }

    @Test("A chain runs in order, and the second processor receives the image of the first")
    func chain() throws {
        let first = CountingProcessor("first")
        let second = CountingProcessor("second")
        _ = try process(first |> second, .data(TestImages.png))
        #expect(first.items == [.data])
        #expect(second.items == [.image])
        let failing = CountingProcessor("failing") { _ in nil }
        #expect((failing |> second).process(item: .data(try TestImages.png), options: options) == nil)
        #expect(second.calls == 1)
    }

    @Test("The cost is pixels x bytes per pixel x distinct frames", .behaviours("I-5"))
    func cost() throws {
        #expect(try TestImages.image.cacheCost == 33 * 21 * 4)
        #expect(try TestImages.image(Fixtures.data(named: "PNG/gray16.png")).cacheCost == 33 * 21 * 2)
        let still = try TestImages.image(Fixtures.data(named: "GIF/single.gif"))
        #expect(still.cacheCost == 24 * 18 * 4)
        let frame = try TestImages.image
        let other = try TestImages.image
        let animation = try #require(Image.animatedImage(with: [frame, other, frame, frame], duration: 1))
        #expect(animation.cacheCost == 2 * frame.cacheCost)
        let same = try #require(Image.animatedImage(with: [frame, frame], duration: 1))
        #expect(same.cacheCost == frame.cacheCost)
        let preloaded = try #require(
            KingfisherWrapper<Image>.image(
                data: TestImages.gif, options: ImageCreatingOptions(preloadAll: true)))
        #expect(preloaded.cacheCost == 24 * 18 * 4 * (try #require(preloaded.images).count))
    }

    @Test("Image modifiers change their property, and a throwing closure changes nothing")
    func modifiers() throws {
        let image = try TestImages.image
        #expect(
            RenderingModeImageModifier(renderingMode: .alwaysOriginal).modify(image).renderingMode
                == .alwaysOriginal)
        #expect(
            FlipsForRightToLeftLayoutDirectionImageModifier().modify(image).flipsForRightToLeftLayoutDirection
        )
        let insets = EdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
        let inset = AlignmentRectInsetsImageModifier(alignmentInsets: insets).modify(image)
        #expect(inset.alignmentRectInsets == insets)
        #expect(samePixels(inset, image))
        struct Refusal: Error {}
        #expect(AnyImageModifier { _ in throw Refusal() }.modify(image) === image)
        let replacement = Image()
        #expect(AnyImageModifier { _ in replacement }.modify(image) === replacement)
    }
}
