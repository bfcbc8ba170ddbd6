import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

@Suite struct ImageBlendTests {
    private static let names = [
        "normal", "multiply", "screen", "overlay", "darken", "lighten", "colorDodge", "colorBurn",
        "softLight",
        "hardLight", "difference", "exclusion", "hue", "saturation", "color", "luminosity", "clear", "copy",
        "sourceIn", "sourceOut", "sourceAtop", "destinationOver", "destinationIn", "destinationOut",
        "destinationAtop", "xor", "plusDarker", "plusLighter",
    ]

    private func flat(_ pixel: [Int], _ format: PixelFormat = .rgba8Premultiplied) throws -> Image {
        Image(pixels: try PixelBuffer.flat(5, 3, format, pixel), scale: 2)
    }

    @Test func rawValuesAreThoseOfCoreGraphics() {
        #expect(BlendMode.allCases.map { "\($0)" } == Self.names)
        #expect(BlendMode.allCases.map(\.rawValue) == Array(0...27))
    }

    @Test func modesBlendAnOpaqueImageWithItsBackground() throws {
        let image = try flat([200, 100, 50, 255], .rgba8Opaque)
        let half = Color(red: 0.5, green: 0.5, blue: 0.5)
        let multiplied = image.kf.image(withBlendMode: .multiply, backgroundColor: half)
        #expect(multiplied.size == image.size && multiplied.scale == 2)
        #expect(multiplied.pixels?.format == .rgba8Opaque)
        #expect(try only(multiplied) == [100, 50, 25, 255])
        #expect(try only(image.kf.image(withBlendMode: .normal, alpha: 0.5)) == [100, 50, 25, 128])
        let faded = image.kf.image(withBlendMode: .normal, alpha: 0.5, backgroundColor: .black)
        #expect(try only(faded) == [100, 50, 25, 255] && faded.pixels?.format == .rgba8Opaque)
        #expect(try only(image.kf.image(withBlendMode: .clear, backgroundColor: .red)) == [0, 0, 0, 0])
        #expect(try only(image.kf.image(withBlendMode: .sourceOut, backgroundColor: .red)) == [0, 0, 0, 0])
        #expect(
            try only(image.kf.image(withBlendMode: .destinationOver, backgroundColor: .red))
                == [255, 0, 0, 255])
    }

    @Test func modesWithoutEffectReturnTheSamePixels() throws {
        let image = try flat([20, 10, 5, 40])
        for mode in [
            BlendMode.normal, .multiply, .darken, .hardLight, .copy, .xor, .plusLighter, .plusDarker,
        ] {
            #expect(image.kf.image(withBlendMode: mode).pixels === image.pixels, "\(mode)")
        }
    }

    @Test(
        arguments: [
            (CGFloat.nan, 1.0), (.infinity, 1), (-.infinity, 0), (-0.1, 0), (1.1, 1),
            (.greatestFiniteMagnitude, 1),
        ] as [(CGFloat, CGFloat)])
    func invalidAlphaIsClamped(alpha: CGFloat, counted: CGFloat) throws {
        let image = try flat([20, 10, 5, 40])
        for mode in [BlendMode.normal, .softLight, .hue] {
            let expected = try only(
                image.kf.image(withBlendMode: mode, alpha: counted, backgroundColor: .cyan))
            #expect(
                try only(image.kf.image(withBlendMode: mode, alpha: alpha, backgroundColor: .cyan))
                    == expected)
        }
    }

    @Test func coloursOutsideTheGamutAndNaNAreClamped() throws {
        let image = try flat([0, 0, 0, 0])
        let wide = Color(red: 3, green: -1, blue: 0.5)
        #expect(
            try only(image.kf.image(withBlendMode: .normal, backgroundColor: wide)) == [255, 0, 128, 255])
        let none = Color(red: .nan, green: .infinity, blue: -.infinity, alpha: .nan)
        #expect(try only(image.kf.image(withBlendMode: .normal, backgroundColor: none)) == [0, 0, 0, 0])
    }

    @Test func grayAndStraightFormatsBecomeRGBA() throws {
        let gray = try flat([100], .gray8).kf.image(withBlendMode: .screen, backgroundColor: .black)
        #expect(try only(gray) == [100, 100, 100, 255])
        let straight = try flat([200, 100, 0, 128], .rgba8Straight).kf.image(withBlendMode: .copy)
        #expect(try only(straight) == [100, 50, 0, 128])
    }

    @Test func animationsYieldTheirFirstFrameAndEmptyImagesAreReturned() throws {
        let frames = [try flat([10, 20, 30, 255]), try flat([90, 90, 90, 255])]
        let animation = try #require(Image.animatedImage(with: frames, duration: 1))
        let blended = animation.kf.image(withBlendMode: .difference, backgroundColor: .white)
        #expect(blended.images == nil)
        #expect(try only(blended) == [245, 235, 225, 255])
        let empty = Image()
        #expect(empty.kf.image(withBlendMode: .multiply) === empty)
    }
}
