import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Turns, flips, canvases, trimming and watermarks, compared with their definitions pixel by pixel.
@Suite struct EditTests {
    /// Every pixel is different.
    private func numbered(_ width: Int, _ height: Int, _ format: PixelFormat = .rgba8Opaque) throws -> Image {
        Image(
            pixels: try pixels(width, height, format) { x, y in
                let most = format.depth == .eight ? 255 : 65_535
                let samples = [x + y * width, 7 * x, 11 * y, most].map { $0 % (most + 1) }
                return format.layout == .gray ? [samples[0]] : samples
            })
    }

    private func pixels(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ samples: (Int, Int) -> [Int]
    ) throws -> PixelBuffer {
        let all = (0..<height).flatMap { y in (0..<width).flatMap { x in samples(x, y) } }
        return try .make(all, width: width, format: format)
    }

    /// Whether `made` has the size, and at each (x, y) the pixel of `image` at `source(x, y)`.
    private func expect(
        _ made: Image, _ width: Int, _ height: Int, of image: Image, _ source: (Int, Int) -> (Int, Int),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (made, image) = (try #require(made.pixels), try #require(image.pixels))
        #expect(made.size == PixelSize(width: width, height: height), sourceLocation: sourceLocation)
        #expect(made.format == image.format, sourceLocation: sourceLocation)
        let isEqual = (0..<height).allSatisfy { y in
            (0..<width).allSatisfy { x in
                let (sourceX, sourceY) = source(x, y)
                return made.samples(x: x, y: y) == image.samples(x: sourceX, y: sourceY)
            }
        }
        #expect(isEqual, sourceLocation: sourceLocation)
    }

    private static let formats: [PixelFormat] = [
        .rgba8Opaque, .gray8, PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight),
    ]

    @Test("Quarter turns are clockwise and exact", arguments: formats)
    func turns(format: PixelFormat) throws {
        let image = try numbered(37, 5, format)
        try expect(image.kf.rotated(byQuarterTurns: 1), 5, 37, of: image) { x, y in (y, 4 - x) }
        try expect(image.kf.rotated(byQuarterTurns: 2), 37, 5, of: image) { x, y in (36 - x, 4 - y) }
        try expect(image.kf.rotated(byQuarterTurns: 3), 5, 37, of: image) { x, y in (36 - y, x) }
        try expect(image.kf.rotated(byQuarterTurns: -1), 5, 37, of: image) { x, y in (36 - y, x) }
        #expect(image.kf.rotated(byQuarterTurns: 4) === image)
        #expect(image.kf.rotated(byQuarterTurns: Int.min) === image)
    }

    @Test("Flips exchange two sides", arguments: formats)
    func flips(format: PixelFormat) throws {
        let image = try numbered(37, 5, format)
        try expect(image.kf.flipped(.horizontal), 37, 5, of: image) { x, y in (36 - x, y) }
        try expect(image.kf.flipped(.vertical), 37, 5, of: image) { x, y in (x, 4 - y) }
    }

    @Test("The orientation of a file is applied before a turn")
    func orientation() throws {
        let image = try numbered(6, 4)
        let sideways = Image(pixels: try #require(image.pixels), orientation: .right)
        try expect(sideways.kf.rotated(byQuarterTurns: 1), 6, 4, of: image) { x, y in (5 - x, 3 - y) }
    }

    @Test(
        "The image is on the canvas at the anchor, and the rest has the colour",
        arguments: [(0, 0, 0, 0), (1, 1, 7, 5), (0.5, 0.5, 4, 3), (0.4, -3, 3, 0)]
            as [(CGFloat, CGFloat, Int, Int)])
    func padding(anchorX: CGFloat, anchorY: CGFloat, left: Int, top: Int) throws {
        let image = try numbered(6, 4)
        let made = try #require(
            image.kf.padded(
                to: CGSize(width: 13, height: 9), anchorOn: CGPoint(x: anchorX, y: anchorY), color: .red
            ).pixels)
        #expect(made.size == PixelSize(width: 13, height: 9) && made.format == .rgba8Opaque)
        for y in 0..<9 {
            for x in 0..<13 {
                let isInside = (left..<(left + 6)).contains(x) && (top..<(top + 4)).contains(y)
                let wanted =
                    isInside ? image.pixels?.samples(x: x - left, y: y - top) : [255, 0, 0, 255]
                #expect(made.samples(x: x, y: y) == wanted)
            }
        }
    }

    @Test("A canvas is not smaller than the image, and transparent by default")
    func canvas() throws {
        let image = try numbered(6, 4)
        let made = try #require(image.kf.padded(to: CGSize(width: 2, height: 6)).pixels)
        #expect(made.size == PixelSize(width: 6, height: 6) && made.format == .rgba8Premultiplied)
        #expect(made.samples(x: 0, y: 0) == [0, 0, 0, 0])
        #expect(made.samples(x: 5, y: 1) == image.pixels?.samples(x: 5, y: 0))
        let scaled = image.kf.scaled(to: 2).kf.padded(to: CGSize(width: 5, height: 5))
        #expect(scaled.scale == 2 && scaled.size == CGSize(width: 5, height: 5))
        for size in [
            CGSize(width: 6, height: 4), CGSize(width: 0, height: 9), CGSize(width: CGFloat.nan, height: 9),
            CGSize(width: 1e9, height: 1e9), CGSize(width: CGFloat.infinity, height: 9),
        ] {
            #expect(image.kf.padded(to: size) === image)
        }
        let nowhere = CGPoint(x: CGFloat.nan, y: 0)
        #expect(image.kf.padded(to: CGSize(width: 9, height: 9), anchorOn: nowhere) === image)
    }

    @Test("Edges in the colour of the top left pixel are removed, within the tolerance")
    func trimming() throws {
        let paper = [250, 250, 240, 255]
        let image = Image(
            pixels: try pixels(20, 10, .rgba8Opaque) { x, y in
                switch (x, y) {
                case (3, 2), (16, 5): [0, 0, 0, 255]
                // Noise.
                case (18, 9), (1, 0): [247, 250, 243, 255]
                default: paper
                }
            })
        try expect(image.kf.trimmed(tolerance: 0.02), 14, 4, of: image) { x, y in (x + 3, y + 2) }
        try expect(image.kf.trimmed(tolerance: 0), 18, 10, of: image) { x, y in (x + 1, y) }
        #expect(image.kf.trimmed(tolerance: .nan) === image)
        #expect(image.kf.trimmed(tolerance: 1) === image)
        #expect(image.kf.trimmed(tolerance: -1).pixels?.width == 18)
        let full = try numbered(6, 4)
        #expect(full.kf.trimmed(tolerance: 0).pixels?.size == PixelSize(width: 6, height: 4))
    }

    @Test("Trimming finds the bounding box of random dots", arguments: 0..<20)
    func randomTrimming(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let dots = (0..<3).map { _ in
            (Int.random(in: 1..<30, using: &random), Int.random(in: 1..<9, using: &random))
        }
        let deep = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
        let image = Image(
            pixels: try pixels(30, 9, deep) { x, y in
                dots.contains { $0 == (x, y) } ? [9, 9, 9, 65_535] : [0, 0, 0, 0]
            })
        let (xs, ys) = (dots.map(\.0), dots.map(\.1))
        let (left, top) = (try #require(xs.min()), try #require(ys.min()))
        try expect(
            image.kf.trimmed(), try #require(xs.max()) - left + 1, try #require(ys.max()) - top + 1, of: image
        ) { x, y in (x + left, y + top) }
    }

    @Test("A watermark is source over at its position", arguments: [1, 0.5, 0.1])
    func watermark(opacity: CGFloat) throws {
        let image = try numbered(20, 12)
        let mark = Image(
            pixels: try pixels(5, 3, .rgba8Straight) { x, y in [200, 40 * x, 80 * y, 51 * x] })
        for (anchor, margin, left, top) in [
            (CGPoint(x: 1, y: 1), 2, 13, 7), (CGPoint(x: 0, y: 0), -2, -2, -2),
            (CGPoint(x: 0.5, y: 0.5), 0, 8, 5), (CGPoint(x: 1, y: 0), -3, 18, -3),
        ] as [(CGPoint, CGFloat, Int, Int)] {
            let made = try #require(
                image.kf.watermarked(with: mark, anchorOn: anchor, margin: margin, opacity: opacity).pixels)
            #expect(made.size == image.pixels?.size && made.format == .rgba8Opaque)
            for y in 0..<12 {
                for x in 0..<20 {
                    let below = try #require(image.pixels?.samples(x: x, y: y)).map(Double.init)
                    let ink = mark.pixels?.samples(x: x - left, y: y - top)?.map(Double.init) ?? [0, 0, 0, 0]
                    let alpha = ink[3] / 255 * Double(opacity)
                    let got = try #require(made.samples(x: x, y: y))
                    for channel in 0..<4 {
                        let source = channel == 3 ? 255 : ink[channel]
                        let wanted = source * alpha + below[channel] * (1 - alpha)
                        #expect(abs(Double(got[channel]) - wanted) <= 1.5, "\(x),\(y): \(got)")
                    }
                }
            }
        }
    }

    @Test("A watermark of another scale is resampled; an invisible one changes nothing")
    func invisibleWatermarks() throws {
        let image = try numbered(20, 12)
        let mark = Image(pixels: try PixelBuffer.flat(8, 4, .rgba8Opaque, [255, 0, 0, 255]), scale: 2)
        let made = try #require(image.kf.watermarked(with: mark).pixels)
        #expect(made.samples(x: 16, y: 10) == [255, 0, 0, 255])
        #expect(made.samples(x: 15, y: 10) == image.pixels?.samples(x: 15, y: 10))
        #expect(made.samples(x: 16, y: 9) == image.pixels?.samples(x: 16, y: 9))
        #expect(image.kf.watermarked(with: Image()) === image)
        for opacity in [0, -1, CGFloat.nan] {
            #expect(image.kf.watermarked(with: mark, opacity: opacity) === image)
        }
        #expect(image.kf.watermarked(with: mark, margin: .infinity) === image)
        let outside = try #require(image.kf.watermarked(with: mark, margin: 900).pixels)
        #expect(outside.samples(x: 0, y: 0) == image.pixels?.samples(x: 0, y: 0))
    }

    @Test(
        "The focal point stays as near to the centre as the image allows",
        arguments: [(0, 0), (0.5, 50), (1, 100), (0.3, 10), (0.7, 90), (7, 100)] as [(CGFloat, Int)])
    func focus(x: CGFloat, left: Int) throws {
        let image = Image(
            pixels: try pixels(200, 100, .rgba8Opaque) { x, _ in [x, x, x, 255] })
        let made = image.kf.resize(toFill: CGSize(width: 100, height: 100), focus: CGPoint(x: x, y: 0.5))
        try expect(made, 100, 100, of: image) { x, y in (x + left, y) }
        let tall = image.kf.rotated(byQuarterTurns: 1)
        let part = tall.kf.resize(toFill: CGSize(width: 100, height: 100), focus: CGPoint(x: 0.2, y: x))
        try expect(part, 100, 100, of: tall) { x, y in (x, y + left) }
    }
}
