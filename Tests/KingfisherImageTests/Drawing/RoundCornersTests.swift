import Foundation
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct RoundCornersTests {
    /// Coverage, computed from 16 x 16 points in each pixel.
    private func counted(
        _ width: Int, _ height: Int, _ radius: Double, _ corners: RectCorner, x: Int, y: Int
    ) -> Double {
        let (w, h) = (Double(width), Double(height))
        var inside = 0
        for i in 0..<256 {
            let px = Double(x) + (Double(i % 16) + 0.5) / 16
            let py = Double(y) + (Double(i / 16) + 0.5) / 16
            let places: [(RectCorner, Bool, Double, Double)] = [
                (.topLeft, px < radius && py < radius, radius - px, radius - py),
                (.topRight, px > w - radius && py < radius, px - w + radius, radius - py),
                (.bottomLeft, px < radius && py > h - radius, radius - px, py - h + radius),
                (.bottomRight, px > w - radius && py > h - radius, px - w + radius, py - h + radius),
            ]
            let cut = places.contains { corner, there, dx, dy in
                corners.contains(corner) && there && dx * dx + dy * dy > radius * radius
            }
            inside += cut ? 0 : 1
        }
        return Double(inside) / 256
    }

    static let corners: [(Int, Int, Double, RectCorner)] = [
        (40, 40, 10, .all), (40, 30, 7.3, .all), (31, 31, 15.5, .all), (31, 20, 10, .all), (1, 1, 0.5, .all),
        (5, 5, 2.5, .all), (2, 9, 1, .all), (40, 40, 0.7, .all), (40, 40, 20, .topLeft),
        (33, 33, 16.5, [.topLeft, .bottomRight]), (64, 33, 9.9, [.topRight, .bottomLeft]),
        (20, 20, 8, .bottomLeft),
    ]

    @Test(arguments: corners)
    func coverageIsTheAreaInside(width: Int, height: Int, radius: Double, corners: RectCorner) throws {
        let white = try PixelBuffer.flat(width, height, .rgba8Opaque, [255, 255, 255, 255])
        let rounded = try white.roundedCorners(corners, radius: radius, background: nil)
        #expect(rounded.format == .rgba8Premultiplied)
        for y in 0..<height {
            for x in 0..<width {
                let pixel = try #require(rounded.samples(x: x, y: y))
                #expect(Set(pixel).count == 1)
                let expected = counted(width, height, radius, corners, x: x, y: y)
                #expect(abs(Double(pixel[0]) / 255 - expected) < 0.035, "\(x), \(y)")
            }
        }
    }

    @Test func aCircleHasItsArea() throws {
        let white = try PixelBuffer.flat(101, 101, .rgba8Opaque, [255, 255, 255, 255])
        let circle = try white.roundedCorners(.all, radius: .infinity, background: nil)
        let area = Double(Samples.all(circle).reduce(0) { $0 + $1[3] }) / 255
        #expect(abs(area - .pi * 50.5 * 50.5) < 0.5)
    }

    @Test func theBackgroundFillsTheCorners() throws {
        let green = Color(red: 0, green: 1, blue: 0)
        let red = try PixelBuffer.flat(20, 20, .rgba8Opaque, [255, 0, 0, 255])
        let rounded = try red.roundedCorners(.topLeft, radius: 8, background: green)
        #expect(rounded.format == .rgba8Opaque)
        #expect(rounded.samples(x: 0, y: 0) == [0, 255, 0, 255])
        #expect(rounded.samples(x: 19, y: 0) == [255, 0, 0, 255])
        #expect(rounded.samples(x: 10, y: 10) == [255, 0, 0, 255])
        #expect(Samples.all(rounded).allSatisfy { $0[3] == 255 && abs($0[0] + $0[1] - 255) <= 1 })
        let half = try red.roundedCorners(.all, radius: 8, background: green.withAlphaComponent(0.5))
        #expect(half.samples(x: 0, y: 0) == [0, 128, 0, 128])
    }

    @Test func theBackgroundIsComposedAsByPillow() throws {
        let ground = Color(red: 200 / 255, green: 30 / 255, blue: 90 / 255)
        let ours = try DrawingReference.image("source").roundedCorners([], radius: 9, background: ground)
        let reference = try DrawingReference.samples8("over-120x90.rgba")
        #expect(try #require(PixelDifference(ours.packed, reference)).largest <= 1)
    }

    @Test func sizeAndRadiusAreInPoints() throws {
        let white = try PixelBuffer.flat(30, 30, .gray8, [255])
        let image = Image(pixels: white, scale: 3)
        let rounded = image.kf.image(
            withRadius: .widthFraction(0.5), fit: CGSize(width: 20, height: 20), roundingCorners: .topLeft)
        #expect(rounded.size == CGSize(width: 20, height: 20))
        #expect(rounded.scale == 3)
        let pixels = try #require(rounded.pixels)
        let expected = try PixelBuffer.flat(60, 60, .rgba8Opaque, [255, 255, 255, 255])
            .roundedCorners(.topLeft, radius: 30, background: nil)
        #expect(pixels.packed == expected.packed)
        let same = image.kf.image(
            withRoundRadius: 10, fit: CGSize(width: 20, height: 20), roundingCorners: .topLeft)
        #expect(same.pixels?.packed == expected.packed)
    }

    @Test(arguments: [
        CGSize.zero, CGSize(width: Double.nan, height: 5), CGSize(width: 5, height: Double.infinity),
        CGSize(width: -5, height: 5), CGSize(width: 1e9, height: 1e9),
    ])
    func invalidSizesLeaveTheImageUnchanged(size: CGSize) throws {
        let image = Image(pixels: try DrawingReference.image("source"))
        #expect(image.kf.image(withRoundRadius: 5, fit: size) === image)
        #expect(image.kf.resize(to: size) === image)
        #expect(image.kf.resize(to: size, for: .aspectFill).size.width.isFinite)
    }

    @Test func invalidRadiiDoNotRoundTheCorners() throws {
        let image = Image(pixels: try PixelBuffer.flat(9, 9, .rgba8Opaque, [9, 9, 9, 255]))
        #expect(image.kf.image(withRoundRadius: .nan, fit: image.size) === image)
        let square = image.kf.image(withRoundRadius: -4, fit: image.size)
        #expect(square.pixels?.packed == image.pixels?.packed)
    }
}
