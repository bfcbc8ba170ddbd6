import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

/// Behaviours I-9 to I-11 and I-13.
@Suite struct ImageTransformTests {
    private func still() throws -> Image {
        try #require(Image(data: Fixtures.data(named: "PNG/rgba8.png")))
    }

    private func animated(preloadAll: Bool) throws -> Image {
        try Image.decode(
            Fixtures.data(named: "GIF/disposal-3.gif"), options: ImageCreatingOptions(preloadAll: preloadAll))
    }

    @Test("Scaling preserves the pixels, and the same scale returns the same image", .behaviours("I-9"))
    func scaledKeepsPixels() throws {
        let image = try still()
        let half = image.kf.scaled(to: 2)
        #expect(half.size == CGSize(width: 16.5, height: 10.5))
        #expect(half.pixels === image.pixels)
        #expect(image.kf.scaled(to: 1) === image)
        #expect(image.kf.scaled(to: 0) === image)
        #expect(image.kf.scaled(to: .nan) === image)
        let animation = try animated(preloadAll: true).kf.scaled(to: 2)
        #expect(animation.images?.count == 6)
        #expect(animation.images?.first?.scale == 2)
        #expect(animation.kf.imageFrameCount == 6)
    }

    @Test(
        "A decoded image has the same size and scale; animations are returned unchanged", .behaviours("I-10"))
    func decodedKeepsSizeAndScale() throws {
        let image = try still().kf.scaled(to: 3)
        #expect(image.kf.decoded.size == image.size)
        #expect(image.kf.decoded.scale == 3)
        #expect(image.kf.decoded(scale: 2).scale == 2)
        #expect(image.kf.decoded(scale: 2).pixels?.width == 33)
        for preload in [false, true] {
            let animation = try animated(preloadAll: preload)
            #expect(animation.kf.decoded === animation)
            #expect(animation.kf.decoded(scale: 2) === animation)
        }
    }

    @Test(
        "Normalizing rotates pixels upright; upright and animated images are returned unchanged",
        .behaviours("I-11"))
    func normalizedTurnsPixelsUpright() throws {
        let image = try still()
        #expect(image.kf.normalized === image)
        let animation = try animated(preloadAll: false)
        #expect(animation.kf.normalized === animation)
        let pixels = try Samples.buffer(3, .gray8, [1, 2, 3, 4, 5, 6])
        let expected: [Image.Orientation: [Int]] = [
            .down: [6, 5, 4, 3, 2, 1], .left: [3, 6, 2, 5, 1, 4], .right: [4, 1, 5, 2, 6, 3],
            .upMirrored: [3, 2, 1, 6, 5, 4], .downMirrored: [4, 5, 6, 1, 2, 3],
            .leftMirrored: [1, 4, 2, 5, 3, 6], .rightMirrored: [6, 3, 5, 2, 4, 1],
        ]
        for (orientation, samples) in expected {
            let turned = Image(pixels: pixels, scale: 2, orientation: orientation)
            let upright = turned.kf.normalized
            #expect(upright.imageOrientation == .up)
            #expect(upright.size == turned.size)
            #expect(upright.scale == 2)
            #expect(Samples.all(try #require(upright.pixels)) == samples.map { [$0] }, "\(orientation)")
        }
    }

    @Test func everyFormatIsRotatedEqually() throws {
        for name in ["gray8", "grayalpha8", "grayalpha16", "rgba8", "rgba16"] {
            let pixels = try PNGCodec().decode(Fixtures.data(named: "PNG/\(name).png"), minimumSize: nil)
            let upright = try pixels.upright(from: .right)
            #expect(upright.size == PixelSize(width: 21, height: 33))
            #expect(upright.format == pixels.format)
            for (x, y) in [(0, 0), (20, 32), (7, 11), (20, 0)] {
                #expect(upright.samples(x: x, y: y) == pixels.samples(x: y, y: 20 - x))
            }
        }
    }

    @Test(
        "Depth survives decoding, and being written", .behaviours("I-13"),
        arguments: ["gray8", "gray16", "rgb16", "grayalpha16"])
    func rotationPreservesTheDepth(name: String) throws {
        let data = try Fixtures.data(named: "PNG/\(name).png")
        let image = try #require(Image(data: data))
        #expect(image.kf.decoded.pixels?.format == image.pixels?.format)
        #expect(image.kf.decoded.pixels?.bitsPerComponent == (name.hasSuffix("16") ? 16 : 8))
        let again = try #require(image.kf.pngRepresentation().flatMap(Image.init(data:)))
        #expect(again.pixels?.format == image.pixels?.format)
    }
}
