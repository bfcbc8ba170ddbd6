import Foundation
import TestHelpers
import Testing

@testable import KingfisherImage

/// Edges, rectangles and squares of pixels, compared with their definitions pixel by pixel.
@Suite struct BlockTests {
    /// Samples that differ between neighbours, with an alpha that differs in formats with one.
    private static func image(_ width: Int, _ height: Int, _ format: PixelFormat) throws -> Image {
        let white = format.depth == .eight ? 255 : 65_535
        var samples: [Int] = []
        for index in 0..<width * height {
            let alpha = format.isOpaque ? white : (index * 37 + 11) * 257 % (white + 1)
            for channel in 0..<format.layout.channels {
                let isAlpha = channel == format.layout.channels - 1 && format.layout != .gray
                let color = (index * 7_919 + channel * 104_729) % (white + 1)
                samples.append(
                    isAlpha ? alpha : format.alpha == .premultiplied ? color * alpha / white : color)
            }
        }
        return Image(pixels: try .make(samples, width: width, format: format))
    }

    private static let formats: [PixelFormat] = [
        .rgba8Opaque, .gray8, .rgba8Premultiplied, PixelFormat(layout: .grayAlpha, alpha: .premultiplied),
        PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque),
        PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied),
    ]

    @Test(arguments: formats, [2, 3, 5, 7, 300])
    func `Each square has the mean of its pixels`(format: PixelFormat, side: Int) throws {
        let image = try Self.image(17, 11, format)
        let (made, source) = (try #require(image.kf.pixelated(blockSize: CGFloat(side)).pixels), image.pixels)
        #expect(made.format == format && made.size == PixelSize(width: 17, height: 11))
        for y in 0..<11 {
            for x in 0..<17 {
                let columns = x / side * side..<min(x / side * side + side, 17)
                let rows = y / side * side..<min(y / side * side + side, 11)
                let inside = rows.flatMap { y in columns.map { source?.samples(x: $0, y: y) ?? [] } }
                let means = (0..<format.layout.channels).map { channel in
                    let sum = inside.reduce(0) { $0 + $1[channel] }
                    return (sum + inside.count / 2) / inside.count
                }
                #expect(made.samples(x: x, y: y) == means)
            }
        }
    }

    @Test func `Invisible pixels have no part in the mean`() throws {
        let samples = [255, 0, 0, 255, 0, 255, 0, 0]
        let image = Image(pixels: try .make(samples, width: 2))
        let made = try #require(image.kf.pixelated(blockSize: 2).pixels)
        #expect(made.allSamples == [128, 0, 0, 128, 128, 0, 0, 128])
    }

    @Test(arguments: [0, 1, 0.4, -3, .nan, .infinity] as [CGFloat])
    func `Squares of at most one pixel change nothing`(size: CGFloat) throws {
        let image = try Self.image(5, 4, .rgba8Opaque)
        #expect(image.kf.pixelated(blockSize: size) === image)
    }

    @Test(arguments: formats, [Color.orange, Color(red: 0, green: 0.5, blue: 1, alpha: 0.25)])
    func `Edges have the colour, and the image keeps its depth`(format: PixelFormat, color: Color) throws {
        let image = try Self.image(7, 5, format)
        let made = try #require(image.kf.padded(top: 1, right: 2, bottom: 3, left: 4, color: color).pixels)
        #expect(made.size == PixelSize(width: 13, height: 9) && made.format.depth == format.depth)
        let isOpaque = format.isOpaque && color.alpha == 1
        #expect(made.format.layout == .rgba && made.format.isOpaque == isOpaque)
        let white = format.depth == .eight ? 255.0 : 65_535
        let ink =
            [color.red, color.green, color.blue].map { Int(($0 * color.alpha * white).rounded()) }
            + [Int((color.alpha * white).rounded())]
        let inside = try image.pixels?.converted(
            to: PixelFormat(
                layout: .rgba, depth: format.depth, alpha: format.isOpaque ? .opaque : .premultiplied))
        for y in 0..<9 {
            for x in 0..<13 {
                let isInside = (4..<11).contains(x) && (1..<6).contains(y)
                let expected = isInside ? inside?.samples(x: x - 4, y: y - 1) : ink
                #expect(made.samples(x: x, y: y) == expected)
            }
        }
    }

    @Test(arguments: [
        [0, 0, 0, 0], [1, -1, 0, 0], [0, .nan, 0, 0], [0, 0, .infinity, 0], [0, 0, 0, 1e9],
    ])
    func `Edges that add nothing or cannot be added change nothing`(edges: [CGFloat]) throws {
        let image = try Self.image(5, 4, .rgba8Opaque)
        let made = image.kf.padded(top: edges[0], right: edges[1], bottom: edges[2], left: edges[3])
        #expect(made === image)
    }

    @Test(arguments: [
        (CGRect(x: 1, y: 2, width: 3, height: 2), 1, 2, 3, 2),
        (CGRect(x: -2, y: 3, width: 4, height: 9), 0, 3, 2, 2),
        (CGRect(x: 0.4, y: 0.6, width: 1, height: 0.1), 0, 1, 1, 1),
        (CGRect(x: 6.9, y: 4.9, width: 5, height: 5), 6, 4, 1, 1),
    ])
    func `A rectangle keeps its pixels`(rect: CGRect, x: Int, y: Int, width: Int, height: Int) throws {
        let image = try Self.image(7, 5, .rgba8Opaque)
        let made = image.kf.crop(to: rect).pixels
        let expected = try image.pixels?.cropped(x: x, y: y, width: width, height: height)
        #expect(made?.size == PixelSize(width: width, height: height))
        #expect(made?.allSamples == expected?.allSamples)
    }

    @Test(arguments: [
        CGRect(x: 7, y: 0, width: 1, height: 1), CGRect(x: -3, y: 0, width: 3, height: 3),
        CGRect(x: 0, y: 0, width: 0, height: 3), CGRect(x: CGFloat.nan, y: 0, width: 1, height: 1),
    ])
    func `A rectangle beside the image changes nothing`(rect: CGRect) throws {
        let image = try Self.image(7, 5, .rgba8Opaque)
        #expect(image.kf.crop(to: rect) === image)
    }
}
