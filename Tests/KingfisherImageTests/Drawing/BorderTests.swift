import Foundation
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct BorderTests {
    private func gray(_ width: Int, _ height: Int, scale: CGFloat = 1) throws -> Image {
        Image(pixels: try PixelBuffer.flat(width, height, .rgba8Opaque, [100, 100, 100, 255]), scale: scale)
    }

    @Test("A square border paints only whole pixels; an opaque image stays opaque")
    func square() throws {
        let pixels = try #require(
            gray(9, 7).kf.addingBorder(Border(color: .red, lineWidth: 2)).pixels)
        #expect(pixels.format == .rgba8Opaque)
        for y in 0..<7 {
            for x in 0..<9 {
                let isLine = x < 2 || y < 2 || x > 6 || y > 4
                #expect(pixels.samples(x: x, y: y) == (isLine ? [255, 0, 0, 255] : [100, 100, 100, 255]))
            }
        }
    }

    @Test("Line width and radius are in points, and a fraction refers to the image size")
    func points() throws {
        let border = Border(color: .red, lineWidth: 2, radius: .widthFraction(0.25))
        let doubled = try #require(gray(40, 30, scale: 2).kf.addingBorder(border).pixels)
        let inPixels = Border(color: .red, lineWidth: 4, radius: .point(10))
        #expect(try doubled.packed == gray(40, 30).kf.addingBorder(inPixels).pixels?.packed)
        #expect(try gray(40, 30, scale: 2).kf.addingBorder(border).scale == 2)
    }

    @Test("The area outside a round corner is neither painted nor clipped")
    func outside() throws {
        let border = Border(
            color: .red, lineWidth: 3, radius: .point(10), roundingCorners: [.topLeft, .bottomRight])
        let pixels = try #require(gray(40, 30).kf.addingBorder(border).pixels)
        let (line, image) = ([255, 0, 0, 255], [100, 100, 100, 255])
        #expect(pixels.samples(x: 0, y: 0) == image && pixels.samples(x: 39, y: 29) == image)
        #expect(pixels.samples(x: 39, y: 0) == line && pixels.samples(x: 0, y: 29) == line)
        #expect(pixels.samples(x: 20, y: 0) == line && pixels.samples(x: 20, y: 15) == image)
    }

    @Test(
        "A line as wide as half the shorter side, or wider, fills the shape",
        arguments: [15, 16, 1e300, .infinity])
    func filled(width: CGFloat) throws {
        let image = try gray(40, 30)
        let full = image.kf.addingBorder(Border(color: .red, lineWidth: width, radius: .point(8)))
        let shape = try PixelBuffer.flat(40, 30, .rgba8Opaque, [255, 0, 0, 255])
            .roundedCorners(.all, radius: 8, background: Color(white: 100 / 255))
        let pixels = try #require(full.pixels)
        let difference = try #require(PixelDifference(pixels.packed, shape.packed))
        #expect(difference.largest <= 1)
    }

    @Test("A border of zero width, or of an invalid width or radius, leaves the image unchanged")
    func none() throws {
        let image = try gray(9, 7)
        for width in [0, -0.0, -3, -.infinity, .nan] as [CGFloat] {
            #expect(image.kf.addingBorder(Border(lineWidth: width)) === image)
        }
        for radius in [Radius.point(.nan), .widthFraction(.nan), .heightFraction(.nan)] {
            #expect(image.kf.addingBorder(Border(radius: radius)) === image)
        }
    }

    @Test("A colour outside the gamut is clamped, and NaN components count as 0")
    func colors() throws {
        let image = try gray(3, 3)
        func middleOfTop(_ color: Color) -> [Int]? {
            image.kf.addingBorder(Border(color: color, lineWidth: 1)).pixels?.samples(x: 1, y: 0)
        }
        #expect(middleOfTop(Color(red: .nan, green: 2, blue: -1)) == [0, 255, 0, 255])
        #expect(middleOfTop(Color(red: 1, green: 1, blue: 1, alpha: .nan)) == [100, 100, 100, 255])
        #expect(middleOfTop(Color(white: .infinity, alpha: .infinity)) == [255, 255, 255, 255])
    }

    @Test("A transparent overlay leaves the image unchanged; fractions are clamped to 0...1")
    func overlayFractions() throws {
        let image = try gray(9, 7)
        #expect(image.kf.overlaying(with: .red, fraction: 1) === image)
        #expect(image.kf.overlaying(with: .red, fraction: .infinity) === image)
        #expect(image.kf.overlaying(with: .red, fraction: .nan) === image)
        #expect(image.kf.overlaying(with: .clear, fraction: 0) === image)
        for fraction in [0, -1, -.infinity, .leastNonzeroMagnitude] as [CGFloat] {
            let pixels = try #require(image.kf.overlaying(with: .red, fraction: fraction).pixels)
            #expect(Set(Samples.all(pixels)) == [[255, 0, 0, 255]])
            #expect(pixels.format == .rgba8Opaque)
        }
    }
}
