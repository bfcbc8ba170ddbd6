import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

@Suite struct FilterTests {
    private func flat(_ pixel: [Int], _ format: PixelFormat = .rgba8Opaque) throws -> Image {
        Image(pixels: try PixelBuffer.flat(5, 3, format, pixel), scale: 2)
    }

    private func adjusted(
        _ image: Image, _ brightness: CGFloat = 0, _ contrast: CGFloat = 1, _ saturation: CGFloat = 1,
        _ inputEV: CGFloat = 0
    ) -> Image {
        image.kf.adjusted(
            brightness: brightness, contrast: contrast, saturation: saturation, inputEV: inputEV)
    }

    @Test func neutralValuesReturnTheSamePixels() throws {
        let image = try flat([20, 10, 5, 40], .rgba8Premultiplied)
        #expect(adjusted(image).pixels === image.pixels)
        #expect(image.kf.tinted(with: .clear).pixels === image.pixels)
        #expect(image.kf.tinted(with: Color(white: 1, alpha: -3)).pixels === image.pixels)
    }

    /// A nearly neutral value passes through the loop and its tables.
    @Test func nearlyNeutralValuesPreserveEverySample() throws {
        let ramp = (0...255).flatMap { [$0, 255 - $0, $0 ^ 0x5A, 255] }
        let image = Image(pixels: try Samples.buffer(256, .rgba8Opaque, ramp))
        #expect(adjusted(image, 1e-9).pixels !== image.pixels)
        #expect(adjusted(image, 1e-9).pixels?.packed == ramp)
        #expect(image.kf.tinted(with: Color(white: 1, alpha: 1e-9)).pixels?.packed == ramp)
    }

    @Test func aFStopDoublesTheLight() throws {
        // 188 of 255 is half the light of white.
        #expect(try only(adjusted(flat([188, 188, 188, 255]), 0, 1, 1, 1)) == [255, 255, 255, 255])
        #expect(try only(adjusted(flat([255, 255, 255, 255]), 0, 1, 1, -1)) == [188, 188, 188, 255])
        #expect(try only(adjusted(flat([0, 0, 0, 255]), 0, 1, 1, 9)) == [0, 0, 0, 255])
    }

    @Test func greysAreNotChangedBySaturation() throws {
        let red = try only(adjusted(flat([255, 0, 0, 255]), 0, 1, 0))
        // The encoded form of the luminance 0.2126.
        #expect(red == [127, 127, 127, 255])
        #expect(try only(adjusted(flat([90, 90, 90, 255]), 0, 1, 7)) == [90, 90, 90, 255])
    }

    @Test func alphaIsPreserved() throws {
        let clear = try flat([0, 0, 0, 0], .rgba8Premultiplied)
        #expect(try only(adjusted(clear, 0.8, 2, 2, 3)) == [0, 0, 0, 0])
        let white = try flat([40, 40, 40, 40], .rgba8Premultiplied)
        #expect(try only(adjusted(white, 0.8)) == [40, 40, 40, 40])
        #expect(adjusted(white, 0.8).pixels?.format == .rgba8Premultiplied)
        #expect(try adjusted(flat([9], .gray8), 0.8).pixels?.format == .rgba8Opaque)
    }

    @Test(arguments: [CGFloat.nan, .infinity, -.infinity]) func nonFiniteValuesAreNeutral(none: CGFloat)
        throws
    {
        let image = try flat([20, 130, 5, 255])
        #expect(adjusted(image, none, none, none, none).pixels === image.pixels)
        let darker = try only(adjusted(image, -0.1, 1.5, 0.5, 0.3))
        #expect(try only(adjusted(image, none, 1.5, 0.5, 0.3)) == only(adjusted(image, 0, 1.5, 0.5, 0.3)))
        #expect(try only(adjusted(image, -0.1, none, 0.5, 0.3)) == only(adjusted(image, -0.1, 1, 0.5, 0.3)))
        #expect(try only(adjusted(image, -0.1, 1.5, none, 0.3)) == only(adjusted(image, -0.1, 1.5, 1, 0.3)))
        #expect(try only(adjusted(image, -0.1, 1.5, 0.5, none)) == only(adjusted(image, -0.1, 1.5, 0.5)))
        #expect(darker != (try only(adjusted(image, none, 1.5, 0.5, 0.3))))
        let tint = Color(red: none, green: 1, blue: none)
        #expect(try only(image.kf.tinted(with: tint)) == [0, 255, 0, 255])
        #expect(image.kf.tinted(with: Color(white: 1, alpha: none)).pixels === image.pixels)
    }

    @Test func hugeValuesAreClamped() throws {
        for pixel in [[20, 130, 5, 255], [20, 13, 5, 100]] {
            let image = try flat(pixel, .rgba8Premultiplied)
            let alpha = pixel[3]
            let white = [alpha, alpha, alpha, alpha], black = [0, 0, 0, alpha]
            #expect(try only(adjusted(image, 1e300)) == white)
            #expect(try only(adjusted(image, -1e300)) == black)
            #expect(try only(adjusted(image, 0, 1, 1, 1e300)) == white)
            #expect(try only(adjusted(image, 0, 1, 1, -1e300)) == black)
            #expect(try only(adjusted(image, 1e300, 1e300, 0, 1e300)) == white)
        }
    }

    @Test func tintCoversTransparentPixelsToo() throws {
        let clear = try flat([0, 0, 0, 0], .rgba8Premultiplied)
        let half = Color(red: 1, green: 0, blue: 0, alpha: 0.5)
        #expect(try only(clear.kf.tinted(with: half)) == [128, 0, 0, 128])
        #expect(try only(clear.kf.tinted(with: .red)) == [255, 0, 0, 255])
        #expect(clear.kf.tinted(with: .red).pixels?.format == .rgba8Opaque)
        // Half the light, not half the number.
        #expect(try only(flat([255, 255, 255, 255]).kf.tinted(with: half)) == [255, 188, 188, 255])
    }

    @Test func closuresReceiveAnUprightStillAndTheScaleIsPreserved() throws {
        let pixels = try Samples.buffer(2, .gray8, [10, 20, 30, 40, 50, 60])
        let image = Image(pixels: pixels, scale: 3, orientation: .right)
        let filter = Filter { seen in
            #expect(seen.imageOrientation == .up && seen.scale == 3 && seen.pixels?.width == 3)
            return seen.pixels.map { Image(pixels: $0, scale: 7, orientation: .left) }
        }
        let made = image.kf.apply(filter)
        #expect(made.scale == 3 && made.imageOrientation == .up)
        // The filter's input is rotated right and its output back.
        #expect(made.pixels?.packed == [10, 20, 30, 40, 50, 60])
        #expect(image.kf.apply(Filter { _ in nil }) === image)
        #expect(image.kf.apply(Filter { _ in Image() }) === image)
        let empty = Image()
        #expect(empty.kf.apply(.tint(.red)) === empty)
    }

    @Test func closuresOverPixelsGetRGBA() throws {
        let image = try flat([100], .gray8)
        let inverted = Filter.pixels { source in
            #expect(source.format == .rgba8Opaque)
            return try PixelBuffer(width: source.width, height: source.height, format: source.format) {
                rows, bytesPerRow in
                for y in 0..<source.height {
                    for x in 0..<source.width {
                        let pixel = source.samples(x: x, y: y) ?? []
                        for c in 0..<4 {
                            rows[y * bytesPerRow + 4 * x + c] = UInt8(c == 3 ? 255 : 255 - pixel[c])
                        }
                    }
                }
            }
        }
        #expect(try only(image.kf.apply(inverted)) == [155, 155, 155, 255])
        #expect(image.kf.apply(inverted).scale == 2)
        struct Refusal: Error {}
        #expect(image.kf.apply(.pixels { _ in throw Refusal() }) === image)
        #expect(image.kf.apply(.pixels { _ in nil }) === image)
    }

    @Test func animationsYieldTheirFirstFrame() throws {
        let animation = try #require(
            Image.animatedImage(with: [flat([255, 0, 0, 255]), flat([9, 9, 9, 255])], duration: 1))
        let gray = adjusted(animation, 0, 1, 0)
        #expect(gray.images == nil)
        #expect(try only(gray) == [127, 127, 127, 255])
    }
}
