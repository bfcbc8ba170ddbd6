import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Drawing on images of 16 bits, compared with formulas in floating point.
@Suite struct DeepDrawingTests {
    static let white = 65_535.0
    private static let opaque = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
    private static let premultiplied = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied)

    /// Every operation that draws or filters, with numbers that change an image of any size.
    static let operations: [(name: String, draw: @Sendable (Image) -> Image)] = [
        ("round", { $0.kf.image(withRoundRadius: 6.3, fit: $0.size) }),
        ("round over", { $0.kf.image(withRoundRadius: 6.3, fit: $0.size, backgroundColor: .orange) }),
        ("border", { $0.kf.addingBorder(Border(color: .blue, lineWidth: 1.25, radius: .point(5))) }),
        (
            "faint border",
            {
                $0.kf.addingBorder(
                    Border(color: .red.withAlphaComponent(0.3), lineWidth: 3.5, radius: .point(2)))
            }
        ),
        ("padding", { $0.kf.padded(top: 1, right: 2, bottom: 0, left: 3, color: .orange) }),
        ("blur", { $0.kf.blurred(withRadius: 3) }),
        ("small blur", { $0.kf.blurred(withRadius: 1) }),
        ("sharpening", { $0.kf.sharpened(radius: 1.2, amount: 1.5) }),
        ("multiply", { $0.kf.image(withBlendMode: .multiply, alpha: 0.8, backgroundColor: .lightGray) }),
        ("soft light", { $0.kf.image(withBlendMode: .softLight, backgroundColor: .orange) }),
        ("hue", { $0.kf.image(withBlendMode: .hue, alpha: 0.9, backgroundColor: .purple) }),
        ("overlay", { $0.kf.overlaying(with: .green, fraction: 0.7) }),
        ("tint", { $0.kf.tinted(with: .red.withAlphaComponent(0.2)) }),
        ("controls", { $0.kf.adjusted(brightness: 0.05, contrast: 0.9, saturation: 0.5, inputEV: 0.2) }),
        ("watermark", { $0.kf.watermarked(with: mark, anchorOn: .zero, opacity: 0.6) }),
    ]

    /// Of 8 bits, and of another size than any image.
    private static let mark: Image = {
        let pixels = try? TestImages.gradients(8, 6, alpha: true)
        return pixels.map { Image(pixels: $0) } ?? Image()
    }()

    @Test(
        "Each operation keeps 16 bits; widened images give the widened result", arguments: operations.indices)
    func widened(index: Int) throws {
        let (name, draw) = Self.operations[index]
        var generator = SeededGenerator(seed: UInt64(index))
        for (width, height) in [(33, 19), (1, 1), (1, 5), (7, 1), (2, 3)] {
            for format in [PixelFormat.rgba8Opaque, .rgba8Premultiplied, .rgba8Straight, .gray8] {
                let small = try PixelBuffer.noise(width, height, format, using: &generator)
                let deep = try small.converted(
                    to: PixelFormat(layout: format.layout, depth: .sixteen, alpha: format.alpha))
                let wanted = try #require(draw(Image(pixels: small)).pixels)
                let made = try #require(draw(Image(pixels: deep)).pixels)
                let context = "\(name), \(width)x\(height), \(format)"
                #expect(made.size == wanted.size, "\(context)")
                #expect(
                    made.format
                        == PixelFormat(layout: .rgba, depth: .sixteen, alpha: wanted.format.alpha),
                    "\(context)")
                // In 8 bits, hues are computed from the rounded premultiplied colours.
                if format != .rgba8Straight {
                    let rounded = try made.premultiplied().packed
                    // The coverage of a single pixel is rounded for each of its corners.
                    let tolerance = width * height == 1 ? 2 : 1
                    #expect(
                        try #require(PixelDifference(rounded, wanted.packed)).largest <= tolerance,
                        "\(context)")
                }
                #expect(
                    Samples.all(made).allSatisfy { pixel in pixel.allSatisfy { $0 <= pixel[3] } },
                    "\(context)")
            }
        }
    }

    @Test("A gradient of 1,000 levels keeps more than 900", arguments: operations.indices)
    func levels(index: Int) throws {
        let (name, draw) = Self.operations[index]
        let image = Image(
            pixels: try TestImages.make(1_000, 15, Self.opaque) { x, _ in
                let level = Double(x) / 1_000
                return [level, 1 - level, level / 2 + 0.3, 1]
            })
        let made = try #require(draw(image).pixels)
        // In the middle, which a border leaves unchanged.
        let row = (0..<made.width).compactMap { made.samples(x: $0, y: 8) }
        let counts = (0..<3).map { channel in Set(row.map { $0[channel] }).count }
        #expect(counts.contains { $0 > 900 }, "\(name): \(counts)")
    }

    @Test("An operation counts eight bytes a pixel towards the limit of memory")
    func limits() throws {
        let bytes = 64 * 40 * 8
        let flat = Image(pixels: try PixelBuffer.flat(64, 40, Self.opaque, [1, 2, 3, 65_535]))
        var limits = ImageLimits()
        for (name, draw) in Self.operations where name != "padding" {
            limits.maximumFrameBytes = bytes
            #expect(DecodingContext(limits: limits).run { draw(flat) } !== flat, "\(name)")
            limits.maximumFrameBytes = bytes - 1
            #expect(DecodingContext(limits: limits).run { draw(flat) } === flat, "\(name)")
        }
        #expect(draw("blur", flat).costInBytes == bytes)
    }

    private func draw(_ name: String, _ image: Image) -> Image {
        Self.operations.first { $0.name == name }?.draw(image) ?? image
    }

    // MARK: Filters of neighbours

    /// The mean of the box around each pixel of a line, edges extended.
    private func box(_ line: [Double], reach: Int) -> [Double] {
        line.indices.map { i in
            (i - reach...i + reach).reduce(0) { $0 + line[min(max($1, 0), line.count - 1)] }
                / Double(2 * reach + 1)
        }
    }

    @Test("A blur is the mean of boxes", arguments: [0.2, 1, 3, 9, 60])
    func blur(radius: Double) throws {
        var generator = SeededGenerator(seed: 5)
        let (width, height) = (23, 14)
        let noise = try PixelBuffer.noise(width, height, Self.premultiplied, using: &generator)
        let blur = try #require(BoxBlur(radius: radius))
        let made = try noise.blurred(blur).packed
        for channel in 0..<4 {
            var plane = noise.packed.indices.filter { $0 % 4 == channel }.map { Double(noise.packed[$0]) }
            for _ in 0..<blur.passes {
                plane = (0..<height).flatMap {
                    box(Array(plane[$0 * width..<($0 + 1) * width]), reach: blur.reach)
                }
            }
            for _ in 0..<blur.passes {
                for x in 0..<width {
                    let column = box((0..<height).map { plane[$0 * width + x] }, reach: blur.reach)
                    for y in 0..<height { plane[y * width + x] = column[y] }
                }
            }
            // Each pass rounds.
            #expect(plane.indices.allSatisfy { abs(Double(made[4 * $0 + channel]) - plane[$0]) <= 2 })
        }
    }

    @Test("Flat images do not change", arguments: [1, 257, 30_000, 65_534, 65_535])
    func flat(level: Int) throws {
        let pixel = [level, 0, level / 2, 65_535]
        let image = Image(pixels: try PixelBuffer.flat(37, 23, Self.opaque, pixel))
        for radius in [0, 2, 10, 500, 1e9] {
            #expect(try only(image.kf.blurred(withRadius: radius)) == pixel)
        }
        for radius in [0.3, 1, 10] {
            #expect(try only(image.kf.sharpened(radius: radius, amount: 31)) == pixel)
        }
    }

    @Test("Sharpening moves colours away from the weighted mean", arguments: [(0.5, 1), (1, 2.5), (4, 1)])
    func sharpening(radius: Double, amount: Double) throws {
        var generator = SeededGenerator(seed: 7)
        let noise = try PixelBuffer.noise(29, 17, Self.premultiplied, using: &generator)
        let mask = try #require(UnsharpMask(radius: radius, amount: amount))
        let reach = mask.weights.count / 2
        let made = try noise.sharpened(mask)
        for y in 0..<17 {
            for x in 0..<29 {
                var mean = [0.0, 0, 0]
                for dy in -reach...reach {
                    for dx in -reach...reach {
                        let samples = try #require(
                            noise.samples(x: min(max(x + dx, 0), 28), y: min(max(y + dy, 0), 16)))
                        let weight = Double(mask.weights[reach + dx]) * Double(mask.weights[reach + dy])
                        for channel in 0..<3 { mean[channel] += weight / 65_536 * Double(samples[channel]) }
                    }
                }
                let own = try #require(noise.samples(x: x, y: y)).map(Double.init)
                let got = try #require(made.samples(x: x, y: y)).map(Double.init)
                for channel in 0..<3 {
                    let wanted = own[channel] + amount * (own[channel] - mean[channel])
                    #expect(abs(got[channel] - min(max(wanted, 0), own[3])) <= 1)
                }
                #expect(got[3] == own[3])
            }
        }
    }
}
