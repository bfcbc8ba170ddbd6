import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Images with more colours than a palette holds, and frames that differ partially.
@Suite struct GIFDitheringTests {
    private let codec = GIFCodec()

    private func levels(_ pixels: PixelBuffer) -> [Double] {
        Samples.premultiplied(pixels).enumerated().compactMap { $0 % 4 == 3 ? nil : Double($1) }
    }

    private func shown(_ pixels: PixelBuffer) throws -> PixelBuffer {
        try codec.decode(codec.encode(pixels, options: ImageEncodingOptions()), minimumSize: nil)
    }

    private func decibels(_ one: [Double], _ other: [Double]) -> Double {
        let error = zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } / Double(one.count)
        return 10 * log10(255 * 255 / error)
    }

    /// Means of blocks of 4 x 4 pixels, which approximate the view from a distance.
    private func means(_ levels: [Double], width: Int) -> [Double] {
        let (columns, rows) = (width / 4, levels.count / 3 / width / 4)
        var means = [Double](repeating: 0, count: columns * rows * 3)
        for y in 0..<rows * 4 {
            for x in 0..<columns * 4 {
                for channel in 0..<3 {
                    let level = levels[(y * width + x) * 3 + channel]
                    means[(y / 4 * columns + x / 4) * 3 + channel] += level / 16
                }
            }
        }
        return means
    }

    /// Dithered pixels differ slightly more from the original than the nearest palette colours do; areas
    /// differ less.
    @Test(arguments: ["chelsea-eyes", "astronaut-portrait"])
    func photographsKeepTheirMeanColours(name: String) throws {
        let pixels = try JPEGCodec().decode(Fixtures.data(named: "Photos/\(name).jpg"), minimumSize: nil)
        let data = try codec.encode(pixels, options: ImageEncodingOptions())
        let palette = try #require(try data.reading(GIFIndex.init(scanning:)).frames.first?.palette)
        #expect(palette.count == 256)
        let (red, wanted) = (palette.offset, levels(pixels))
        let got = levels(try codec.decode(data, minimumSize: nil))
        let colors = (0..<256).map { number in
            SIMD4(data[red + number * 3], data[red + number * 3 + 1], data[red + number * 3 + 2], 255)
        }
        var search = NearestColor(colors)
        let nearest = stride(from: 0, to: wanted.count, by: 3).flatMap { start -> [Double] in
            let color = colors[
                Int(search.index(of: SIMD4((0..<3).map { UInt8(wanted[start + $0]) } + [255])))]
            return [Double(color.x), Double(color.y), Double(color.z)]
        }
        #expect(decibels(wanted, nearest) > 37)
        #expect(decibels(wanted, got) > decibels(wanted, nearest) - 4)
        let areas = decibels(means(wanted, width: pixels.width), means(got, width: pixels.width))
        let flat = decibels(means(wanted, width: pixels.width), means(nearest, width: pixels.width))
        #expect(areas > flat + 0.3, "\(areas) dB, without dithering \(flat) dB")
    }

    @Test func aGradientHasNoBands() throws {
        // 96 x 64 pixels of 6,144 colours: one palette colour for each 24.
        var samples: [Int] = []
        for y in 0..<64 {
            for x in 0..<96 { samples += [x * 255 / 95, y * 4, 128, 255] }
        }
        let pixels = try Samples.buffer(96, .rgba8Opaque, samples)
        let (wanted, got) = (levels(pixels), levels(try shown(pixels)))
        let differences = zip(means(wanted, width: 96), means(got, width: 96)).map { abs($0 - $1) }
        #expect(differences.reduce(0, +) / Double(differences.count) < 1)
        #expect((differences.max() ?? 0) < 8)
    }

    @Test func transparentPixelsStayTransparentAndDiffuseNoError() throws {
        func alpha(_ x: Int, _ y: Int) -> Int { (x / 8 + y / 8) % 2 == 0 ? 255 : 0 }
        var samples: [Int] = []
        for y in 0..<64 {
            for x in 0..<64 { samples += [x * 4, y * 4, x * y % 256, alpha(x, y)] }
        }
        let pixels = try shown(try Samples.buffer(64, .rgba8Straight, samples))
        for y in 0..<64 {
            for x in 0..<64 {
                #expect(pixels.samples(x: x, y: y)?.last == alpha(x, y))
            }
        }
    }

    /// A photograph with a moving square.
    private func frames() throws -> [PixelBuffer] {
        let photo = try JPEGCodec().decode(
            Fixtures.data(named: "Photos/chelsea-eyes.jpg"), minimumSize: nil)
        return try (0..<5).map { step in
            try PixelBuffer(width: photo.width, height: photo.height, format: .rgba8Opaque) { rows, stride in
                photo.withUnsafeBytes { rows.copyMemory(from: $0) }
                for y in 10..<26 {
                    for x in 10 + 6 * step..<26 + 6 * step {
                        let color = UInt32(0xFF00_0000 + x * 0x3_0000 + y * 9)
                        rows.storeBytes(
                            of: color.littleEndian, toByteOffset: y * stride + x * 4, as: UInt32.self)
                    }
                }
            }
        }
    }

    @Test func unchangedAreasDoNotFlicker() throws {
        let frames = try frames()
        let source = DecodedFrames(
            frames.map { Image(pixels: $0) }, .each(Array(repeating: 0.1, count: 5)), loopCount: 0)
        let data = try #require(try codec.encode(source, options: ImageEncodingOptions()))
        let placements = try data.reading(GIFIndex.init(scanning:)).frames.map(\.placement)
        #expect(placements[0].size == frames[0].size)
        for (step, placement) in placements.enumerated().dropFirst() {
            #expect(placement.left >= 10 + 6 * (step - 1) && placement.top >= 10)
            #expect(placement.size.width <= 22 && placement.size.height <= 16)
        }
        let written = try #require(try codec.frameSource(for: data))
        let shown = try (0..<5).map { Samples.all(try #require(written.frame(at: $0))) }
        let wanted = frames.map { Samples.all($0) }
        for step in 1..<5 {
            let flickers = shown[step].indices.contains {
                wanted[step][$0] == wanted[step - 1][$0] && shown[step][$0] != shown[step - 1][$0]
            }
            #expect(!flickers, "frame \(step)")
            #expect(shown[step] != shown[step - 1])
        }
    }

    @Test func unchangedFramesAreStoredAsOnePixel() throws {
        let frame = Image(pixels: try Samples.buffer(2, .rgba8Opaque, [1, 2, 3, 255, 4, 5, 6, 255]))
        let source = DecodedFrames([frame, frame], .each([0.1, 0.1]), loopCount: 0)
        let data = try #require(try codec.encode(source, options: ImageEncodingOptions()))
        let placements = try data.reading(GIFIndex.init(scanning:)).frames.map(\.placement)
        #expect(placements.map(\.size.area) == [2, 1])
        let written = try #require(try codec.frameSource(for: data))
        #expect(written.frame(at: 1).map(Samples.all) == frame.pixels.map(Samples.all))
    }
}
