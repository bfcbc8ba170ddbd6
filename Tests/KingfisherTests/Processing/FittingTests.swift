import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// `FittingImageProcessor` and `CoveringImageProcessor`: sizes, positions, and quality against Pillow.
@Suite struct FittingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let image: PixelSize
        let step: String
        let result: PixelSize

        init(_ width: Int, _ height: Int, _ step: String, _ resultWidth: Int, _ resultHeight: Int) {
            image = PixelSize(width: width, height: height)
            self.step = step
            result = PixelSize(width: resultWidth, height: resultHeight)
        }

        var testDescription: String { "\(step) of \(image)" }
    }

    private static let cases = [
        Case(400, 300, "fit:200x200", 200, 150), Case(400, 300, "fit:300x100", 133, 100),
        Case(300, 400, "fit:300x100", 75, 100), Case(400, 300, "fit:200x0", 200, 150),
        Case(400, 300, "fit:0x100", 133, 100), Case(400, 300, "fit:400x300", 400, 300),
        Case(400, 300, "fit:500x500", 400, 300), Case(40, 30, "fit:100x100,enlarge", 100, 75),
        Case(40, 30, "fit:0x60,enlarge", 80, 60), Case(400, 3, "fit:20x20", 20, 1),
        Case(3, 400, "fit:20x20", 1, 20), Case(401, 299, "fit:100x100", 100, 75),
        Case(400, 300, "cover:200x200", 200, 200), Case(400, 300, "cover:300x100", 300, 100),
        Case(400, 300, "cover:100x200", 100, 200), Case(400, 300, "cover:200x0", 200, 150),
        Case(400, 300, "cover:0x100", 133, 100), Case(333, 222, "cover:100x67", 100, 67),
        // Smaller on one side or both.
        Case(400, 300, "cover:500x200", 400, 200), Case(40, 30, "cover:100x100", 40, 30),
        Case(250, 400, "cover:300x200", 250, 200), Case(250, 400, "cover:300x200,ratio", 250, 167),
        Case(40, 30, "cover:100x100,ratio", 30, 30), Case(40, 30, "cover:100x50,left,ratio", 40, 20),
        Case(40, 30, "cover:100x100,enlarge", 100, 100), Case(400, 30, "cover:100x100,enlarge", 100, 100),
        Case(40, 30, "cover:100x0,enlarge", 100, 75), Case(400, 2, "cover:20x20", 20, 2),
    ]

    @Test(arguments: cases)
    func `The result has the size of the box, for files and images`(_ sample: Case) throws {
        let processor = try ProcessingStep(sample.step).processor
        let options = KingfisherParsedOptionsInfo(nil)
        let pixels = try TestHelpers.TestImages.gradients(sample.image.width, sample.image.height)
        let image = Image(pixels: pixels, scale: 1)
        let file = try #require(image.kf.jpegRepresentation(compressionQuality: 0.9))
        for item in [ImageProcessItem.image(image), .data(file)] {
            #expect(processor.process(item: item, options: options)?.pixels?.size == sample.result)
        }
        let reducing = try #require(processor as? any ReducingImageProcessor)
        let made =
            reducing.resultSize(of: sample.image, options: options)
            ?? reducing.decodedSize(of: sample.image, options: options) ?? sample.image
        #expect(made == sample.result || sample.step.hasSuffix("enlarge"))
    }

    /// Every pixel's red is its column and its green its row.
    @Test(arguments: [
        ("cover:100x20", 0, 40), ("cover:100x20,top", 0, 0), ("cover:100x20,bottom", 0, 80),
        ("cover:20x100,left", 0, 0), ("cover:20x100,bottomRight", 80, 0), ("cover:20x100,0.3,0.9", 20, 0),
        ("cover:20x100,0.05,0.5", 0, 0), ("cover:20x100,0.95,0.5", 80, 0), ("cover:100x21,0.5,0.5", 0, 40),
    ])
    func `The part is around the point, as far as the image reaches`(step: String, x: Int, y: Int) throws {
        let places = (0..<100).flatMap { row in (0..<100).flatMap { [$0, row, 0, 255] } }
        let image = Image(pixels: try PixelBuffer.make(places, width: 100, format: .rgba8Opaque), scale: 1)
        let made = try ProcessingStep(step).processor.process(
            item: .image(image), options: KingfisherParsedOptionsInfo(nil))
        #expect(made?.pixels?.samples(x: 0, y: 0) == [x, y, 0, 255])
    }

    /// Decodes JPEG as release builds do with files of at least 64 KiB.
    private func asLarge<Value>(_ decode: () -> Value) -> Value {
        JPEGBaselineDecoder.$isOptimized.withValue(true) {
            JPEGBaselineDecoder.$minimumScanBytes.withValue(0, operation: decode)
        }
    }

    @Test(arguments: 0..<20)
    func `A photograph is as good as fully decoded and reduced by Pillow`(number: Int) throws {
        let name = "Fitting/" + String(format: "%02d", number)
        let file = try Fixtures.data(named: name + ".jpg")
        let reference = try #require(Image(data: Fixtures.data(named: name + ".png"))?.pixels)
        let options = KingfisherParsedOptionsInfo(nil)
        let fitting = FittingImageProcessor(size: CGSize(width: 96, height: 96))
        func fitted() -> PixelBuffer? { fitting.process(item: .data(file), options: options)?.pixels }
        #expect(try #require(PixelDifference(asLarge(fitted), reference)).psnr >= 50)
        // libjpeg decodes small files. Its averages of 4:2:2 are the worst (decision 098).
        #expect(try #require(PixelDifference(fitted(), reference)).psnr >= 47)
        let covering = CoveringImageProcessor(size: CGSize(width: 64, height: 64))
        let cover = asLarge { covering.process(item: .data(file), options: options)?.pixels }
        let part = try reference.cropped(x: 16, y: 0, width: 64, height: 64)
        #expect(try #require(PixelDifference(cover, part)).psnr >= 50)
    }

    @Test(arguments: ["Photos/coffee.jpg", "Fitting/00.jpg", "Orientation/exif-6.png"])
    func `A file is decoded as DownsamplingImageProcessor does, upright`(name: String) throws {
        let file = try Fixtures.data(named: name)
        let options = KingfisherParsedOptionsInfo(nil)
        let size = CGSize(width: 60, height: 60)
        let fit = FittingImageProcessor(size: size).process(item: .data(file), options: options)
        let reference = DownsamplingImageProcessor(size: size).process(item: .data(file), options: options)
        #expect(try #require(PixelDifference(fit?.pixels, reference?.pixels)).largest == 0)
    }

    @Test func `Sizes are in points, and the box of no side changes nothing`() throws {
        let file = try #require(
            Image(pixels: TestHelpers.TestImages.gradients(400, 300), scale: 1).kf.jpegRepresentation(
                compressionQuality: 0.9))
        let double = KingfisherParsedOptionsInfo([.scaleFactor(2)])
        let fit = FittingImageProcessor(size: CGSize(width: 50, height: 50))
        let image = try #require(fit.process(item: .data(file), options: double))
        #expect(image.scale == 2 && image.size == CGSize(width: 50, height: 37.5))
        for size in [CGSize.zero, CGSize(width: -1, height: CGFloat.nan)] {
            let options = KingfisherParsedOptionsInfo(nil)
            for processor in [
                FittingImageProcessor(size: size, enlarges: true) as any ImageProcessor,
                CoveringImageProcessor(size: size),
            ] {
                let made = processor.process(item: .data(file), options: options)
                #expect(made?.pixels?.size == PixelSize(width: 400, height: 300))
            }
        }
    }

    @Test(arguments: ["cover:1000x1000,enlarge", "fit:32768x0,enlarge"])
    func `An image that cannot be enlarged within the limits fails`(step: String) throws {
        let image = Image(pixels: try TestHelpers.TestImages.gradients(10, 10_000), scale: 1)
        let made = try ProcessingStep(step).processor.process(
            item: .image(image), options: KingfisherParsedOptionsInfo(nil))
        #expect(made == nil)
    }

    @Test func `Every frame of an animation is fitted`() throws {
        let gif = try Fixtures.data(named: "Photos/cat.gif")
        for (step, size) in [("fit:80x80", (80, 60)), ("cover:50x50,top", (50, 50))] {
            let processor = try ProcessingStep(step).processor.framewise
            let image = try #require(
                processor.process(item: .data(gif), options: KingfisherParsedOptionsInfo(nil)))
            let frames = try #require(image.kf.frameSource)
            #expect(frames.frameCount == 8)
            for index in [0, 3, 7] {
                #expect(frames.frame(at: index)?.size == PixelSize(width: size.0, height: size.1))
            }
        }
    }

    /// The estimate for a thumbnail of a large file is far below the estimate for the file, and an enlarged
    /// result is part of it.
    @Test func `The memory estimate counts the sizes in memory`() throws {
        let image = Image(pixels: try TestHelpers.TestImages.gradients(2_000, 1_500), scale: 1)
        let file = try #require(image.kf.jpegRepresentation(compressionQuality: 0.9))
        func memory(_ processor: any ImageProcessor) -> Int {
            KingfisherParsedOptionsInfo([.processor(processor)]).processingMemory(for: .data(file))
        }
        let size = CGSize(width: 200, height: 150)
        let downsampling = memory(DownsamplingImageProcessor(size: size))
        #expect(memory(FittingImageProcessor(size: size)) == downsampling)
        #expect(downsampling < memory(DefaultImageProcessor.default) / 2)
        let square = CGSize(width: 150, height: 150)
        #expect(memory(CoveringImageProcessor(size: square)) == downsampling + 150 * 150 * 4)
        let large = CGSize(width: 4_000, height: 4_000)
        #expect(
            memory(FittingImageProcessor(size: large, enlarges: true))
                == memory(DefaultImageProcessor.default) + 4_000 * 3_000 * 4)
    }
}
