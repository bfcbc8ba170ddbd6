import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct ResizeTests {
    static let sizes = [
        PixelSize(width: 150, height: 97), PixelSize(width: 50, height: 60), PixelSize(width: 37, height: 29),
    ]

    /// Small enough that a box filter runs first, with a partial box at the end of 120 and 90; within 4
    /// levels and 44 dB.
    static let smallSizes = [
        PixelSize(width: 120, height: 1), PixelSize(width: 1, height: 90), PixelSize(width: 1, height: 1),
        PixelSize(width: 13, height: 9),
    ]

    @Test(arguments: sizes + smallSizes, [PixelFormat.rgba8Premultiplied, .gray8])
    func resizingMatchesPillowsLanczos(size: PixelSize, format: PixelFormat) throws {
        let isGray = format == .gray8
        let ours = try DrawingReference.image(isGray ? "source-gray" : "source").resized(to: size)
        #expect(ours.format == format)
        let reference = isGray ? "resize-gray-\(size).gray" : "resize-\(size).rgba"
        let difference = try #require(
            PixelDifference(ours.packed, DrawingReference.samples8(reference)))
        let direct = Self.sizes.contains(size)
        #expect(difference.largest <= (direct ? 1 : 4))
        #expect(difference.psnr >= (direct ? 55 : 44))
    }

    @Test(arguments: [
        PixelSize(width: 150, height: 30), PixelSize(width: 37, height: 29), PixelSize(width: 1, height: 1),
    ])
    func sixteenBitsMatchLanczos(size: PixelSize) throws {
        let gray = try DrawingReference.image("source-gray16").resized(to: size)
        #expect(gray.format == PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque))
        let grayReference = try DrawingReference.samples16("resize-gray16-\(size).gray16")
        #expect(try #require(PixelDifference(gray.packed, grayReference)).largest <= 2)

        let color = try DrawingReference.image("source-16").resized(to: size)
        #expect(color.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied))
        let colorReference = try DrawingReference.samples16("resize-16-\(size).rgba16")
        #expect(try #require(PixelDifference(color.packed, colorReference)).largest <= 2)
    }

    @Test(arguments: [
        PixelFormat.gray8, .rgba8Opaque, .rgba8Premultiplied,
        PixelFormat(layout: .grayAlpha, alpha: .premultiplied),
        PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied),
    ])
    func aUniformImageIsUnchanged(format: PixelFormat) throws {
        let white = format.depth == .eight ? 255 : 65_535
        for level in [1, white / 3, white - 1, white] {
            let pixel = (0..<format.layout.channels).map { $0 == format.layout.channels - 1 ? white : level }
            let flat = try PixelBuffer.flat(53, 41, format, format == .gray8 ? [level] : pixel)
            for size in [PixelSize(width: 7, height: 3), PixelSize(width: 80, height: 90)] {
                let resized = try flat.resized(to: size)
                #expect(resized.format == format)
                #expect(Set(Samples.all(resized)) == [format == .gray8 ? [level] : pixel])
            }
        }
    }

    /// A colour above its alpha is not a valid premultiplied pixel; Lanczos overshoots at edges.
    @Test func colorsStayBelowAlpha() throws {
        let half = (0..<40).flatMap { _ in
            (0..<40).flatMap { $0 < 20 ? [255, 255, 255, 255] : [0, 0, 0, 90] }
        }
        let image = try Samples.buffer(40, .rgba8Premultiplied, half)
        for size in [PixelSize(width: 63, height: 40), PixelSize(width: 17, height: 40)] {
            for pixel in try Samples.all(image.resized(to: size)) {
                #expect(pixel[0..<3].allSatisfy { $0 <= pixel[3] })
            }
        }
    }

    @Test func invisibleColorsDoNotBleed() throws {
        let pixels = (0..<30 * 30).flatMap { $0 % 30 < 15 ? [0, 200, 0, 255] : [255, 0, 0, 0] }
        let resized = try Samples.buffer(30, .rgba8Straight, pixels).resized(
            to: PixelSize(width: 8, height: 8))
        #expect(Samples.all(resized).allSatisfy { $0[0] == 0 })
    }

    @Test func resizingToTheSameSizeReturnsTheSamePixels() throws {
        let image = try DrawingReference.image("source")
        #expect(try image.resized(to: image.size) === image)
    }

    @Test(arguments: [
        PixelSize(width: 0, height: 5), PixelSize(width: 5, height: -1), PixelSize(width: .max, height: .max),
        PixelSize(width: 20_000, height: 20_000),
    ])
    func impossibleSizesAreRefused(size: PixelSize) throws {
        let image = try DrawingReference.image("source")
        #expect(throws: ImageCodecError.tooLarge(width: size.width, height: size.height)) {
            try image.resized(to: size)
        }
    }

    @Test func extremeProportionsAreSupported() throws {
        let line = try PixelBuffer.flat(70_000, 1, .gray8, [77])
        #expect(try line.resized(to: PixelSize(width: 1, height: 3)).packed == [77, 77, 77])
        let dot = try PixelBuffer.flat(1, 1, .rgba8Opaque, [1, 2, 3, 255])
        let grown = try dot.resized(to: PixelSize(width: 300, height: 2))
        #expect(Set(Samples.all(grown)) == [[1, 2, 3, 255]])
    }
}
