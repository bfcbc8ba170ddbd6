import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// A preview of a truncated file has the properties of the final image.
@Suite struct PreviewMakerTests {
    let photo: ProgressiveFile

    init() throws { photo = try ProgressiveFile("Progressive/photo.jpg") }  // 512 x 512

    private func image(
        _ info: KingfisherOptionsInfo = [], scans: Int = 10, isBlurred: Bool = false,
        box: ViewPixelBox? = nil,
        of file: ProgressiveFile? = nil
    ) throws -> Image? {
        PreviewMaker(options: KingfisherParsedOptionsInfo(info), isBlurred: isBlurred)
            .image(of: (file ?? photo).cut(behind: scans), scans: scans, target: box?.target)
    }

    private func box(_ side: Double) throws -> ViewPixelBox {
        try #require(
            ViewPixelBox(
                ViewDisplay(size: CGSize(width: side, height: side), scaleFactor: 1, isVisible: true),
                contentMode: .scaleAspectFit))
    }

    @Test(
        "A preview has at most the pixels of the view and the size of the final image",
        arguments: [(100.0, 128), (128, 128), (129, 256), (300, 512), (900, 512)])
    func sizeInView(side: Double, pixels: Int) throws {
        let image = try #require(try image([.scaleFactor(2)], box: box(side)))
        #expect(image.pixels?.width == pixels)
        #expect(image.size == CGSize(width: 256, height: 256))
    }

    @Test("Without a view a preview has a limited size") func sizeWithoutView() throws {
        #expect(try image()?.pixels?.width == 512)
        let large = try #require(
            try TestImages.image(photo.data).kf.resize(to: CGSize(width: 3_000, height: 1_500)).kf
                .jpegRepresentation(compressionQuality: 0.8))
        let image = PreviewMaker(options: KingfisherParsedOptionsInfo(nil), isBlurred: false)
            .image(of: large, scans: 1, target: nil)
        #expect(image?.pixels?.width == 1_500 && image?.size.width == 3_000)
    }

    @Test("The pixels of a preview are those of the truncated file") func pixels() throws {
        for scans in [1, 5, 10] {
            #expect(samePixels(try image(scans: scans), try TestImages.image(photo.cut(behind: scans))))
        }
        #expect(try !samePixels(image(scans: 1), image(scans: 10)))
    }

    @Test("Only early scans are blurred") func blur() throws {
        for scans in [1, 3, 5] {
            let blurred = try TestImages.image(photo.cut(behind: scans)).kf.blurred(
                withRadius: Double(max(2, 14 - 4 * scans)))
            #expect(samePixels(try image(scans: scans, isBlurred: true), blurred))
        }
        #expect(samePixels(try image(scans: 6, isBlurred: true), try image(scans: 6)))
    }

    @Test("A preview has the orientation of the file") func orientation() throws {
        let turned = try ProgressiveFile("Progressive/turned.jpg")
        #expect(try image(scans: 2, of: turned)?.size == CGSize(width: 56, height: 80))
    }

    @Test("Previews are rounded from the first scan on, at the size of the view") func roundCorners() throws {
        let processor = RoundCornerImageProcessor(radius: .widthFraction(0.5))
        let image = try #require(
            try image([.processor(processor)], scans: 1, isBlurred: true, box: box(100)))
        let pixels = try #require(image.pixels)
        #expect(pixels.width == 128 && image.size == CGSize(width: 512, height: 512))
        #expect(pixels.samples(x: 1, y: 1)?.last == 0 && pixels.samples(x: 64, y: 64)?.last == 255)
        // The radius is also in points: 64 of 512 are 16 of 128.
        let inPoints = try #require(
            try self.image(
                [.processor(RoundCornerImageProcessor(cornerRadius: 64))], scans: 1, box: box(100)))
        let whole = try #require(
            RoundCornerImageProcessor(cornerRadius: 64).process(
                item: .data(photo.data), options: KingfisherParsedOptionsInfo(nil)))
        for (x, y) in [(2, 2), (5, 5), (9, 9), (16, 2)] {
            let small = try #require(inPoints.pixels?.samples(x: x, y: y)?.last)
            let large = try #require(whole.pixels?.samples(x: x * 4 + 2, y: y * 4 + 2)?.last)
            #expect(abs(small - large) < 128)
        }
    }

    @Test("A processor with a target size sets the size of the preview") func processorSize() throws {
        let size = CGSize(width: 60, height: 60)
        let processors: [any ImageProcessor] = [
            DownsamplingImageProcessor(size: size), ResizingImageProcessor(referenceSize: size),
            CroppingImageProcessor(size: size), RoundCornerImageProcessor(cornerRadius: 9, targetSize: size),
            DownsamplingImageProcessor(size: size) |> RoundCornerImageProcessor(cornerRadius: 9),
            ViewSizeImageProcessor(try box(60), next: DefaultImageProcessor.default),
            ViewSizeImageProcessor(try box(60), next: RoundCornerImageProcessor(cornerRadius: 9)),
            (DownsamplingImageProcessor(size: size) |> RoundCornerImageProcessor(cornerRadius: 9)).framewise,
        ]
        for processor in processors {
            for isBlurred in [false, true] {
                let image = try image(
                    [.processor(processor)], scans: 2, isBlurred: isBlurred, box: box(60))
                #expect(image?.pixels?.size == PixelSize(width: 60, height: 60), "\(processor.identifier)")
                #expect(image?.size == size, "\(processor.identifier)")
            }
        }
    }

    @Test("A processed preview is the processed truncated file") func processedPixels() throws {
        let processors: [any ImageProcessor] = [
            DownsamplingImageProcessor(size: CGSize(width: 60, height: 60)),
            CroppingImageProcessor(size: CGSize(width: 99, height: 40)), BlurImageProcessor(blurRadius: 4),
        ]
        for processor in processors {
            let expected = processor.process(
                item: .data(photo.cut(behind: 4)), options: KingfisherParsedOptionsInfo(nil))
            #expect(samePixels(try image([.processor(processor)], scans: 4, box: box(50)), expected))
        }
    }

    @Test("Image modifiers apply to previews") func modifiers() throws {
        let modifier = AnyImageModifier { $0.kf.resize(to: CGSize(width: 7, height: 7)) }
        #expect(try image([.imageModifier(modifier)])?.size == CGSize(width: 7, height: 7))
    }

    @Test("A corrupt file has no preview") func corruptFile() throws {
        let maker = PreviewMaker(options: KingfisherParsedOptionsInfo(nil), isBlurred: true)
        #expect(maker.image(of: TestImages.garbage, scans: 1, target: nil) == nil)
        var huge = photo.cut(behind: 1)
        let frame = try #require(huge.range(of: Data([0xFF, 0xC2])))
        huge.replaceSubrange(frame.lowerBound + 5..<frame.lowerBound + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(maker.image(of: huge, scans: 1, target: nil) == nil)
    }
}
