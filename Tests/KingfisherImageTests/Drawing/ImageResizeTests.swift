import Foundation
import Testing
import TestHelpers

@testable import KingfisherImage

/// Behaviours I-6 and I-12.
@Suite struct ImageResizeTests {
    private func square() throws -> Image {
        Image(pixels: try PixelBuffer.flat(64, 64, .gray8, [90]))
    }

    @Test("Resizing gives the exact size or preserves the proportions", .behaviours("I-6"))
    func resizeIsExact() throws {
        let size = CGSize(width: 100, height: 50)
        #expect(try square().kf.resize(to: size).size == size)
        #expect(try square().kf.resize(to: size, for: .none).size == size)
        #expect(try square().kf.resize(to: size, for: .aspectFill).size == CGSize(width: 100, height: 100))
        #expect(try square().kf.resize(to: size, for: .aspectFit).size == CGSize(width: 50, height: 50))
    }

    @Test(
        "A side that rounds to no point at all is one pixel", .behaviours("I-6"),
        arguments: [
            (PixelSize(width: 1, height: 601), 1.0, PixelSize(width: 1, height: 300)),
            (PixelSize(width: 10, height: 7_000), 2, PixelSize(width: 1, height: 600)),
            (PixelSize(width: 5_000, height: 8), 1, PixelSize(width: 300, height: 1)),
        ] as [(PixelSize, CGFloat, PixelSize)])
    func elongatedImages(size: PixelSize, scale: CGFloat, expected: PixelSize) throws {
        let image = Image(pixels: try PixelBuffer.flat(size.width, size.height, .gray8, [90]), scale: scale)
        let bounds = CGSize(width: 300, height: 300)
        let fitted = image.kf.resize(to: bounds, for: .aspectFit)
        #expect(fitted.pixels?.size == expected)
        #expect(fitted.pixels?.samples(x: 0, y: 0) == [90])
        #expect(image.kf.downsampled(to: bounds, scale: scale).pixels?.size == expected)
        #expect(image.kf.resize(to: CGSize(width: 0, height: 300), for: .aspectFit).pixels?.size == size)
    }

    @Test func pointsAreMultipliedByTheScale() throws {
        let image = Image(pixels: try DrawingReference.image("source"), scale: 2)
        let resized = image.kf.resize(to: CGSize(width: 30, height: 20))
        #expect(resized.scale == 2)
        #expect(resized.pixels?.size == PixelSize(width: 60, height: 40))
        let cropped = image.kf.crop(to: CGSize(width: 10, height: 8), anchorOn: CGPoint(x: 1, y: 1))
        #expect(cropped.scale == 2)
        #expect(cropped.pixels?.size == PixelSize(width: 20, height: 16))
        #expect(cropped.pixels?.samples(x: 0, y: 0) == image.pixels?.samples(x: 100, y: 74))
    }

    @Test(
        "Cropping keeps the pixels at the anchor", .behaviours("I-12"),
        arguments: [
            (CGPoint(x: 0, y: 0), 0, 0), (CGPoint(x: 0.5, y: 0.5), 50, 35), (CGPoint(x: 1, y: 1), 100, 70),
            (CGPoint(x: 0.5, y: 0), 50, 0), (CGPoint(x: -3, y: 9), 0, 70),
        ])
    func cropCopiesThePixels(anchor: CGPoint, left: Int, top: Int) throws {
        let image = Image(pixels: try DrawingReference.image("source-gray"))
        let pixels = try #require(image.pixels)
        let cropped = try #require(image.kf.crop(to: CGSize(width: 20, height: 20), anchorOn: anchor).pixels)
        #expect(cropped.size == PixelSize(width: 20, height: 20))
        #expect(cropped.format == .gray8)
        for y in 0..<20 {
            for x in 0..<20 {
                #expect(cropped.samples(x: x, y: y) == pixels.samples(x: left + x, y: top + y))
            }
        }
    }

    @Test func cropIsLimitedToTheImage() throws {
        let image = try square()
        let cropped = image.kf.crop(to: CGSize(width: 200, height: 30), anchorOn: CGPoint(x: 0.5, y: 0.5))
        #expect(cropped.size == CGSize(width: 64, height: 30))
        #expect(image.kf.crop(to: .zero, anchorOn: .zero) === image)
        #expect(image.kf.crop(to: CGSize(width: Double.nan, height: 4), anchorOn: .zero) === image)
        #expect(
            image.kf.crop(to: CGSize(width: 4, height: 4), anchorOn: CGPoint(x: Double.nan, y: 0)) === image)
    }

    @Test func cropKeepsSixteenBits() throws {
        let image = Image(pixels: try DrawingReference.image("source-16"))
        let cropped = image.kf.crop(to: CGSize(width: 9, height: 9), anchorOn: .zero)
        #expect(cropped.pixels?.format == image.pixels?.format)
        #expect(cropped.pixels?.samples(x: 3, y: 4) == image.pixels?.samples(x: 3, y: 4))
    }

    @Test func orientationIsAppliedBeforeDrawing() throws {
        let pixels = try Samples.buffer(2, .gray8, [10, 20, 30, 40, 50, 60])
        let image = Image(pixels: pixels, orientation: .right)
        #expect(image.size == CGSize(width: 3, height: 2))
        let cropped = image.kf.crop(to: CGSize(width: 1, height: 2), anchorOn: .zero)
        #expect(cropped.imageOrientation == .up)
        #expect(cropped.pixels?.packed == [50, 60])
    }

    @Test func animationsYieldTheirFirstFrame() throws {
        let frames = try [10, 200].map { Image(pixels: try PixelBuffer.flat(8, 8, .gray8, [$0])) }
        let animation = try #require(Image.animatedImage(with: frames, duration: 1))
        let resized = animation.kf.resize(to: CGSize(width: 4, height: 4))
        #expect(resized.images == nil)
        #expect(resized.pixels?.packed == Array(repeating: 10, count: 16))
    }

    @Test func tinySizesGiveAtLeastOnePixel() throws {
        let resized = try square().kf.resize(to: CGSize(width: 0.1, height: 3))
        #expect(resized.pixels?.size == PixelSize(width: 1, height: 3))
    }

    @Test func emptyImagesStayEmpty() {
        let empty = Image()
        #expect(empty.kf.resize(to: CGSize(width: 4, height: 4)) === empty)
        #expect(empty.kf.crop(to: CGSize(width: 4, height: 4), anchorOn: .zero) === empty)
        #expect(empty.kf.image(withRoundRadius: 3, fit: CGSize(width: 4, height: 4)) === empty)
    }
}
