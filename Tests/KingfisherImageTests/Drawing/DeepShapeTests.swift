import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Shapes, colours and images over images of 16 bits, compared with formulas in floating point.
@Suite struct DeepShapeTests {
    private static let white = 65_535.0
    private static let premultiplied = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied)
    private static let (width, height) = (29, 21)

    private func noise(_ width: Int = width, _ height: Int = height, _ seed: UInt64 = 3) throws -> PixelBuffer
    {
        var generator = SeededGenerator(seed: seed)
        return try PixelBuffer.noise(width, height, Self.premultiplied, using: &generator)
    }

    private func samples(_ pixels: PixelBuffer?, _ x: Int, _ y: Int) throws -> SIMD4<Double> {
        let samples = try #require(pixels?.samples(x: x, y: y)).map(Double.init)
        return SIMD4(samples[0], samples[1], samples[2], samples[3]) / Self.white
    }

    private func ink(_ color: Color) -> SIMD4<Double> {
        SIMD4(color.red * color.alpha, color.green * color.alpha, color.blue * color.alpha, color.alpha)
    }

    /// Whether all pixels are within `tolerance` of 65,535 of `wanted`.
    private func expect(
        _ image: Image, within tolerance: Double, sourceLocation: SourceLocation = #_sourceLocation,
        _ wanted: (_ x: Int, _ y: Int) throws -> SIMD4<Double>
    ) throws {
        let made = try #require(image.pixels)
        #expect(made.format.depth == .sixteen, sourceLocation: sourceLocation)
        var worst = 0.0
        for y in 0..<made.height {
            for x in 0..<made.width {
                let difference = try samples(made, x, y) - wanted(x, y)
                worst = max(worst, difference.max(), -difference.min())
            }
        }
        #expect(worst * Self.white <= tolerance, sourceLocation: sourceLocation)
    }

    /// The covered part of a pixel of a rectangle whose four corners are rounded, summed over slices.
    private func coverage(_ x: Int, _ y: Int, inset: Double, radius: Double) -> Double {
        let slices = 400
        let (right, bottom) = (Double(Self.width) - inset, Double(Self.height) - inset)
        return (0..<slices).reduce(0) { sum, slice in
            let u = Double(x) + (Double(slice) + 0.5) / Double(slices)
            guard u > inset, u < right else { return sum }
            let distance = max(radius - (u - inset), radius - (right - u), 0)
            let cut = radius - max(radius * radius - distance * distance, 0).squareRoot()
            let (top, end) = (inset + cut, bottom - cut)
            return sum + max(0, min(Double(y + 1), end) - max(Double(y), top)) / Double(slices)
        }
    }

    /// The error of the sum of slices, in samples.
    private static let slicing = 25.0

    @Test(
        "Round corners have the exact coverage",
        arguments: [nil, Color(red: 0.9, green: 0.4, blue: 0.1, alpha: 0.7)])
    func round(background: Color?) throws {
        let image = Image(pixels: try noise())
        let made = image.kf.image(withRoundRadius: 6.3, fit: image.size, backgroundColor: background)
        let ground = background.map(ink) ?? .zero
        try expect(made, within: Self.slicing) { x, y in
            let pixel = try samples(image.pixels, x, y) * coverage(x, y, inset: 0, radius: 6.3)
            return pixel + ground * (1 - pixel.w)
        }
    }

    @Test("A border has the exact coverage", arguments: [Color.orange, .blue.withAlphaComponent(0.37)])
    func border(color: Color) throws {
        let image = Image(pixels: try noise())
        let made = image.kf.addingBorder(Border(color: color, lineWidth: 2.4, radius: .point(7.7)))
        try expect(made, within: 2 * Self.slicing) { x, y in
            let share = coverage(x, y, inset: 0, radius: 7.7) - coverage(x, y, inset: 2.4, radius: 5.3)
            return ink(color) * share + (try samples(image.pixels, x, y)) * (1 - color.alpha * share)
        }
    }

    @Test("An overlay is the colour atop the image", arguments: [0, 0.25, 0.999])
    func overlay(fraction: CGFloat) throws {
        let image = Image(pixels: try noise())
        let color = Color(red: 0.123, green: 0.456, blue: 0.789)
        try expect(image.kf.overlaying(with: color, fraction: fraction), within: 1.1) { x, y in
            let pixel = try samples(image.pixels, x, y)
            return ink(color) * (1 - fraction) * pixel.w + pixel * fraction
        }
    }

    @Test("Added edges have all 16 bits of the colour")
    func padding() throws {
        let image = Image(pixels: try noise())
        let color = Color(red: 0.123, green: 0.456, blue: 0.789)
        try expect(image.kf.padded(top: 2, right: 0, bottom: 1, left: 3, color: color), within: 0.51) {
            x, y in
            let isInside = x >= 3 && y >= 2 && y < Self.height + 2
            return isInside ? try samples(image.pixels, x - 3, y - 2) : ink(color)
        }
    }

    @Test(
        "A watermark of either depth is source over", arguments: [PixelFormat.Depth.eight, .sixteen],
        [1, 0.313])
    func watermark(depth: PixelFormat.Depth, opacity: CGFloat) throws {
        let image = Image(pixels: try noise())
        let own = try noise(7, 5, 8)
        let mark = try own.converted(to: PixelFormat(layout: .rgba, depth: depth, alpha: .premultiplied))
        let widened = try mark.converted(to: Self.premultiplied)
        let made = image.kf.watermarked(
            with: Image(pixels: mark), anchorOn: .zero, margin: 3, opacity: opacity)
        try expect(made, within: 1.6) { x, y in
            let below = try samples(image.pixels, x, y)
            guard (3..<10).contains(x), (3..<8).contains(y) else { return below }
            let above = try samples(widened, x - 3, y - 3) * opacity
            return above + below * (1 - above.w)
        }
        let small = Image(pixels: try noise().premultiplied())
        let marked = small.kf.watermarked(with: Image(pixels: own)).pixels
        #expect(marked?.format == .rgba8Premultiplied)
    }

    // MARK: Colours

    @Test("Every blend mode follows its formula", arguments: BlendMode.allCases)
    func blend(mode: BlendMode) throws {
        let source = try noise(25, 8)
        let canvases = [
            Color.clear, .black, .white, .orange, Color(red: 0.1, green: 0.7, blue: 0.333, alpha: 0.51),
        ]
        for color in canvases {
            let canvas: SIMD4<UInt16> = color.premultipliedRGBA()
            let below = SIMD4<Double>(canvas) / Self.white
            for opacity in [1, 0.29] {
                let made = Image(pixels: try source.blended(mode, over: canvas, opacity: opacity))
                try expect(made, within: 1.1) { x, y in
                    BlendFormulas.drawn(mode, try samples(source, x, y), over: below, opacity: opacity)
                }
                let pixels = try #require(made.pixels)
                #expect(Samples.all(pixels).allSatisfy { pixel in pixel.allSatisfy { $0 <= pixel[3] } })
            }
        }
    }

    private func light(_ pixel: SIMD4<Double>) -> SIMD3<Double> {
        guard pixel.w > 0 else { return .zero }
        let color = SIMD3(pixel.x, pixel.y, pixel.z) / pixel.w
        return SIMD3(
            LightReference.light(color.x, 13), LightReference.light(color.y, 13),
            LightReference.light(color.z, 13))
    }

    private func encoded(_ light: SIMD3<Double>, _ alpha: Double) -> SIMD4<Double> {
        SIMD4(
            LightReference.encoded(light.x) * alpha, LightReference.encoded(light.y) * alpha,
            LightReference.encoded(light.z) * alpha, alpha)
    }

    @Test("A tint is source over in linear light", arguments: [0.2, 0.7, 1])
    func tint(alpha: Double) throws {
        let image = Image(pixels: try noise())
        let color = Color(red: 0.2, green: 0.6, blue: 0.9, alpha: alpha)
        let veil = light(SIMD4(color.red, color.green, color.blue, 1)) * alpha
        try expect(image.kf.tinted(with: color), within: 2) { x, y in
            let pixel = try samples(image.pixels, x, y)
            let sum = alpha + pixel.w * (1 - alpha)
            let mixed = light(pixel) * (pixel.w * (1 - alpha)) + veil
            return encoded(sum > 0 ? mixed / sum : .zero, sum)
        }
    }

    @Test(
        "Colour controls work in linear light",
        arguments: [[0, 1, 0, 0.7], [0.1, 1.3, 0.4, -0.5], [-0.2, 1, 2, 0], [0, 4, 2, 10]])
    func controls(numbers: [Double]) throws {
        let image = Image(pixels: try noise())
        let made = image.kf.adjusted(
            brightness: numbers[0], contrast: numbers[1], saturation: numbers[2], inputEV: numbers[3])
        let gain = exp2(numbers[3])
        // Strong controls amplify the rounding of the table.
        try expect(made, within: max(2, numbers[1] * gain)) { x, y in
            let pixel = try samples(image.pixels, x, y)
            let color = light(pixel)
            let grey = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
            let mixed = color * numbers[2] + grey * (1 - numbers[2]) + numbers[0]
            return encoded(((mixed - 0.5) * numbers[1] + 0.5) * gain, pixel.w)
        }
    }

    @Test("A filter of pixels gets the depth that it asks for")
    func filters() throws {
        let image = Image(pixels: try noise())
        let depths = try [false, true].map { keepsDepth in
            let filter = Filter.pixels(keepingDepth: keepsDepth) { pixels in
                pixels.format.depth == (keepsDepth ? .sixteen : .eight) ? pixels : nil
            }
            return try #require(image.kf.apply(filter).pixels).format.depth
        }
        #expect(depths == [.eight, .sixteen])
        let small = Image(pixels: try noise().premultiplied())
        #expect(small.kf.apply(.pixels(keepingDepth: true) { $0 }).pixels?.format == .rgba8Premultiplied)
    }
}
