import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// The pixel size to which a view's image is decoded, and its cache identifier.
@Suite struct ViewSizeImageTests {
    private static func box(
        _ width: Double, _ height: Double, scale: Double = 1, _ mode: ViewContentMode
    ) -> ViewPixelBox? {
        ViewPixelBox(
            ViewDisplay(size: CGSize(width: width, height: height), scaleFactor: scale, isVisible: true),
            contentMode: mode)
    }

    @Test(
        "The box is the size of the view in whole pixels of the screen",
        arguments: [
            (100.0, 50.0, 1.0, 100, 50), (100, 50, 2, 200, 100), (133, 10, 1.5, 200, 15),
            (100, 10, 1.1, 110, 11), (0, 50, 1, 0, 50), (1e9, 1, 1, 1_000_000, 1),
        ])
    func boxes(_ width: Double, _ height: Double, _ scale: Double, _ across: Int, _ down: Int) throws {
        let box = try #require(Self.box(width, height, scale: scale, .scaleAspectFit))
        #expect(box.size == PixelSize(width: across, height: down) && box.scale == scale)
    }

    @Test(
        "There is no box for modes that do not scale, empty views and invalid scale factors",
        arguments: [
            (100.0, 100.0, 1.0, ViewContentMode.center), (100, 100, 1, .bottomRight),
            (0, 0, 1, .scaleAspectFit), (100, 100, 0, .scaleAspectFit), (100, 100, .nan, .scaleToFill),
            (.nan, 0, 1, .scaleAspectFill),
        ])
    func noBox(_ width: Double, _ height: Double, _ scale: Double, _ mode: ViewContentMode) {
        #expect(Self.box(width, height, scale: scale, mode) == nil)
    }

    @Test(
        "The target fits or fills the box, with the image's proportions and without enlarging",
        arguments: [
            (400, 300, 100.0, 100.0, ViewContentMode.scaleAspectFit, (100, 75)),
            (400, 300, 100, 100, .scaleAspectFill, (133, 100)),
            (400, 300, 100, 100, .scaleToFill, (133, 100)),
            (300, 400, 100, 100, .redraw, (100, 133)),
            (4000, 2, 100, 100, .scaleAspectFit, (100, 1)),
            (4000, 3000, 0, 30, .scaleAspectFit, (40, 30)),
            (4000, 3000, 40, 0, .scaleAspectFill, (40, 30)),
            (400, 300, 400, 1, .scaleAspectFill, (0, 0)), (400, 300, 400, 300, .scaleAspectFit, (0, 0)),
            (4, 3, 100, 100, .scaleAspectFit, (0, 0)),
        ])
    func targets(
        _ width: Int, _ height: Int, _ across: Double, _ down: Double, _ mode: ViewContentMode,
        _ expected: (Int, Int)
    ) throws {
        let box = try #require(Self.box(across, down, mode))
        let target = box.target(for: PixelSize(width: width, height: height))
        #expect((target?.width ?? 0, target?.height ?? 0) == expected)
    }

    @Test("Identifiers are locale independent and contain size, fit, scale factor and the next processor")
    func identifiers() throws {
        let fit = try #require(Self.box(100, 75.5, scale: 2, .scaleAspectFit))
        #expect(
            ViewSizeImageProcessor(fit, next: DefaultImageProcessor.default).identifier
                == "com.onevcat.Kingfisher.ViewSizeImageProcessor((200.0, 151.0), aspectFit, 2.0)")
        let fill = try #require(Self.box(10, 20, .scaleToFill))
        #expect(
            ViewSizeImageProcessor(fill, next: BlurImageProcessor(blurRadius: 4)).identifier
                == "com.onevcat.Kingfisher.ViewSizeImageProcessor((10.0, 20.0), aspectFill, 1.0)"
                + "|>com.onevcat.Kingfisher.BlurImageProcessor(4.0)")
    }

    private func options(_ box: ViewPixelBox, _ own: KingfisherOptionsInfo = [])
        -> KingfisherParsedOptionsInfo
    {
        KingfisherParsedOptionsInfo(own).decoding(to: .box(box))
    }

    @Test("Bytes and images are decoded to the same size and scale")
    func bytesAndImages() throws {
        let data = try Fixtures.data(named: "Photos/astronaut.jpg")
        let full = try #require(Image(data: data)?.pixels?.size)
        let box = try #require(Self.box(40, 30, scale: 2, .scaleAspectFill))
        let expected = try #require(box.target(for: full))
        let options = options(box)
        let items = [ImageProcessItem.data(data), .image(try #require(Image(data: data)))]
        for item in items {
            let image = try #require(options.processor.process(item: item, options: options))
            #expect(image.pixels?.size == expected && image.scale == 2)
        }
    }

    @Test("The caller's processor works on the small image")
    func callersProcessor() throws {
        let data = try Fixtures.data(named: "Photos/astronaut.jpg")
        let box = try #require(Self.box(40, 40, .scaleAspectFit))
        let crop = CroppingImageProcessor(size: CGSize(width: 20, height: 10))
        let options = options(box, [.processor(crop)])
        let image = try #require(options.processor.process(item: .data(data), options: options))
        #expect(image.size == CGSize(width: 20, height: 10))
    }

    @Test("Animated images preserve their frames")
    func animation() throws {
        let data = try Fixtures.data(named: "Photos/cat.gif")
        let box = try #require(Self.box(10, 10, .scaleAspectFit))
        let options = options(box, [.preloadAllAnimationData])
        let plain = try #require(Image(data: data))
        let image = try #require(options.processor.process(item: .data(data), options: options))
        #expect((image.images?.count ?? 0) > 1 && image.pixels?.size == plain.pixels?.size)
        let again = try #require(options.processor.process(item: .image(image), options: options))
        #expect(again.images?.count == image.images?.count)
    }

    /// Decodes a custom format: one grey pixel per byte, in rows of eight.
    private struct RowProcessor: ImageProcessor {
        let identifier = "test.rows"

        func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
            guard case .data(let data) = item, data.first == 0 else { return nil }
            return try? .blank(width: 8, height: data.count / 8)
        }
    }

    @Test("Bytes that only the caller's processor can decode are shrunk after it")
    func foreignFormat() throws {
        let box = try #require(Self.box(4, 4, .scaleAspectFit))
        let options = options(box, [.processor(RowProcessor())])
        let image = try #require(
            options.processor.process(item: .data(Data(count: 64)), options: options))
        #expect(image.pixels?.size == PixelSize(width: 4, height: 4))
        #expect(options.processor.process(item: .data(Data([1, 2])), options: options) == nil)
    }

    @Test(
        "Later processors of a chain work on the small image of such bytes, too",
        arguments: [false, true])
    func foreignFormatInChain(everyFrame: Bool) throws {
        let box = try #require(Self.box(4, 4, .scaleAspectFit))
        let crop = CroppingImageProcessor(size: CGSize(width: 3, height: 5))
        var options = KingfisherParsedOptionsInfo([.processor(RowProcessor() |> crop)])
        options.processesAnimatedFrames = everyFrame
        options = options.decoding(to: .box(box))
        let image = options.processor.process(item: .data(Data(count: 64)), options: options)
        #expect(image?.pixels?.size == PixelSize(width: 3, height: 4))
    }

    @Test("An animation of one frame is a still, from bytes and from an image")
    func singleFrame() throws {
        let data = try Fixtures.data(named: "GIF/single.gif")
        let image = try Image.decode(data)
        let full = try #require(image.pixels?.size)
        let box = try #require(Self.box(Double(full.width) / 2, 0, .scaleAspectFit))
        let options = options(box)
        for item in [ImageProcessItem.data(data), .image(image)] {
            let image = try #require(options.processor.process(item: item, options: options))
            #expect(image.pixels?.size == box.target(for: full) && image.isStill)
        }
    }

    @Test("A corrupt file is an error")
    func corruptFile() throws {
        let data = try Fixtures.data(named: "Photos/astronaut.jpg").prefix(3000)
        let box = try #require(Self.box(40, 40, .scaleAspectFit))
        let options = options(box)
        #expect(options.processor.process(item: .data(data), options: options) == nil)
    }
}
