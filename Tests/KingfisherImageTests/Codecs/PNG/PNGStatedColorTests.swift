import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Colours that a PNG states by numbers (cICP, gAMA, cHRM), against the formulas of the standards.
@Suite("PNG: colours by numbers") struct PNGStatedColorTests {
    /// How the pixels are stored.
    struct Layout: CustomTestStringConvertible, Sendable {
        let colorType: Int
        var depth = 8
        var isInterlaced = false

        var testDescription: String { "type \(colorType), \(depth) bits\(isInterlaced ? ", Adam7" : "")" }
        var channels: Int { [0: 1, 4: 2, 6: 4][colorType] ?? 3 }
        var maximum: Int { depth == 8 ? 255 : 65_535 }

        static let colored = [
            Layout(colorType: 2), Layout(colorType: 3), Layout(colorType: 6),
            Layout(colorType: 2, depth: 16), Layout(colorType: 6, depth: 16),
            Layout(colorType: 6, isInterlaced: true), Layout(colorType: 2, depth: 16, isInterlaced: true),
            Layout(colorType: 3, isInterlaced: true),
        ]
        static let gray = [
            Layout(colorType: 0), Layout(colorType: 4), Layout(colorType: 0, depth: 16),
            Layout(colorType: 4, depth: 16), Layout(colorType: 4, isInterlaced: true),
        ]

        /// 15 x 15 colours of the whole cube, with all levels of alpha but 0.
        var image: ColorPNG {
            let pixels = (0..<225).map { index in
                [index % 15 * 18, index / 15 * 18, index * 37 % 253, 30 + index].map { $0 * maximum / 255 }
            }
            let channels: [Int] = [0: [2], 4: [2, 3], 6: [0, 1, 2, 3]][colorType] ?? [0, 1, 2]
            return ColorPNG(
                colorType: colorType, depth: depth, isInterlaced: isInterlaced, width: 15,
                pixels: pixels.map { pixel in channels.map { pixel[$0] } })
        }
    }

    private func decoded(_ list: ChunkList) throws -> [[Int]] {
        Samples.all(try PNGCodec().decode(list.file, minimumSize: nil))
    }

    /// The largest error in levels of 8 bits, and the largest change by the conversion.
    private func distances(
        _ layout: Layout, _ chunks: [ChunkList.Chunk], _ reference: ([Double]) -> [Double]
    ) throws -> (error: Double, moved: Double) {
        let image = layout.image
        let pixels = try decoded(image.list(chunks))
        let level = Double(layout.maximum) / 255
        var (error, moved) = (0.0, 0.0)
        #expect(pixels.count == image.pixels.count)
        for (pixel, stored) in zip(pixels, image.pixels) {
            let colors = layout.channels < 3 ? 1 : 3
            let exact = reference(stored.prefix(colors).map { Double($0) / Double(layout.maximum) })
            for channel in 0..<colors {
                error = max(error, abs(Double(pixel[channel]) / level - exact[channel] * 255))
                moved = max(moved, abs(Double(pixel[channel] - stored[channel])) / level)
            }
            #expect(layout.channels % 2 == 1 || pixel.last == stored.last)
        }
        return (error, moved)
    }

    /// Half a level is the rounding; lcms2 has its tables in 16 bits, and for 8 bits an optimized path.
    private func tolerance(_ layout: Layout) -> Double { layout.depth == 8 ? 1.5 : 0.6 }

    @Test(
        "cICP converts through linear light; PQ and HLG are tone-mapped", arguments: Layout.colored,
        [(12, 13), (9, 14), (9, 16), (9, 18), (12, 16), (1, 8)] as [(UInt8, UInt8)])
    func codePoints(_ layout: Layout, _ points: (UInt8, UInt8)) throws {
        let (error, moved) = try distances(layout, [.cICP(points.0, points.1, 0, 1)]) { samples in
            let light = samples.map { LightReference.light($0, points.1) }
            return LightReference.encoded(light, LightReference.matrix(points.0))
        }
        #expect(error <= tolerance(layout) && moved > 10, "\(error), \(moved)")
    }

    @Test(
        "Greyscale takes the curve of cICP and stays greyscale", arguments: Layout.gray,
        [8, 16, 18] as [UInt8])
    func gray(_ layout: Layout, _ transfer: UInt8) throws {
        let (error, moved) = try distances(layout, [.cICP(9, transfer, 0, 1)]) { samples in
            samples.map { LightReference.encoded(LightReference.light($0, transfer)) }
        }
        #expect(error <= tolerance(layout) && moved > 5, "\(error), \(moved)")
    }

    @Test(
        "gAMA is the exponent of the samples", arguments: Layout.colored + Layout.gray,
        [100_000, 55_556, 35_000] as [UInt32])
    func gamma(_ layout: Layout, _ number: UInt32) throws {
        let (error, moved) = try distances(layout, [.gAMA(number)]) { samples in
            samples.map { LightReference.encoded(pow($0, 100_000 / Double(number))) }
        }
        #expect(error <= tolerance(layout) && moved > 10, "\(error), \(moved)")
    }

    @Test("gAMA and cHRM together are the colours of Adobe RGB", arguments: Layout.colored)
    func adobeRGB(_ layout: Layout) throws {
        let (error, moved) = try distances(layout, [.gAMA(45_470), .cHRMOfAdobeRGB]) { samples in
            LightReference.encoded(samples.map { pow($0, 100_000.0 / 45_470) }, LightReference.adobeRGB)
        }
        #expect(error <= tolerance(layout) && moved > 10, "\(error), \(moved)")
    }

    @Test("cHRM alone has the curve of sRGB")
    func primariesAlone() throws {
        let layout = Layout(colorType: 2)
        let (error, moved) = try distances(layout, [.cHRMOfAdobeRGB]) { samples in
            LightReference.encoded(samples.map { LightReference.light($0, 13) }, LightReference.adobeRGB)
        }
        #expect(error <= tolerance(layout) && moved > 10, "\(error), \(moved)")
    }

    @Test("White stays white, also if it is not D65")
    func white() throws {
        let chunk = ChunkList.Chunk.cHRM([34_570, 35_850, 73_470, 26_530, 11_520, 82_640, 15_660, 1_770])
        let image = ColorPNG(width: 2, pixels: [[255, 255, 255], [0, 200, 0]])
        let pixels = try decoded(image.list([.gAMA(45_455), chunk]))
        #expect(pixels[0].prefix(3).allSatisfy { $0 >= 254 })
        #expect(pixels[1] != [0, 200, 0, 255])
    }

    @Test(
        "What writers put for sRGB changes nothing",
        arguments: [
            [.gAMA(45_455)], [.gAMA(45_455), .cHRMOfSRGB], [.cHRMOfSRGB], [.gAMA(43_200)], [.gAMA(47_700)],
            [.gAMA(45_000), .cHRM([31_269, 32_899, 63_999, 33_001, 30_000, 60_000, 15_000, 5_999])],
            [.cICP(1, 13, 0, 1)], [.cICP(1, 1, 0, 1)], [.sRGB],
        ] as [[ChunkList.Chunk]])
    func unchanged(_ chunks: [ChunkList.Chunk]) throws {
        let image = Layout(colorType: 2).image
        #expect(try decoded(image.list(chunks)) == decoded(image.list()))
    }

    @Test("cICP wins over iCCP, that over sRGB, and that over gAMA and cHRM, in any order of the chunks")
    func precedence() throws {
        let image = Layout(colorType: 2).image
        let embedded = ChunkList(try Fixtures.data(named: "Color/display-p3.png"))
        let profile = try #require(embedded.chunks.first { $0.type == "iCCP" })
        let groups: [[ChunkList.Chunk]] = [
            [.cICP(9, 8, 0, 1)], [profile], [.sRGB], [.gAMA(55_556), .cHRMOfAdobeRGB],
        ]
        let alone = try groups.map { try decoded(image.list($0)) }
        #expect(Set(alone).count == groups.count)
        for first in groups.indices {
            let chunks = Array(groups[first...].joined())
            #expect(try decoded(image.list(chunks)) == alone[first])
            #expect(try decoded(image.list(chunks.reversed())) == alone[first])
        }
    }

    @Test(
        "A malformed chunk counts as absent and does not fail the image",
        arguments: [
            [.cICP(9, 16, 9, 1)], [.cICP(9, 16, 0, 0)], [.cICP(9, 16, 0, 2)], [.cICP(3, 16, 0, 1)],
            [.cICP(9, 3, 0, 1)], [.cICP(2, 2, 0, 1)], [.cICP(255, 255, 255, 255)], [.cICP()],
            [.cICP(9, 16, 0)], [.cICP(9, 16, 0, 1, 0)], [.gAMA(0)], [.gAMA(1)], [.gAMA(.max)],
            [.gAMA(1_000_001)], [.gAMA(9_999)], [.init(type: "gAMA", data: [0, 1])],
            [.init(type: "gAMA", data: [0, 1, 0, 0, 0])], [.init(type: "cHRM", data: [])],
            [.init(type: "cHRM", data: Array(repeating: 0, count: 31))],
            [.cHRM(Array(repeating: 0, count: 8))], [.cHRM(Array(repeating: .max, count: 8))],
            // Collinear primaries; a white outside of them; a white without luminance.
            [.cHRM([31_270, 32_900, 60_000, 30_000, 40_000, 40_000, 20_000, 50_000])],
            [.cHRM([70_000, 25_000, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])],
            [.cHRM([31_270, 0, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])],
            [.init(type: "sRGB", data: [0, 0])], [.init(type: "iCCP", data: [1, 2, 3])],
        ] as [[ChunkList.Chunk]], [false, true])
    func malformed(_ chunks: [ChunkList.Chunk], _ byLibspng: Bool) throws {
        let image = Layout(colorType: 2, depth: byLibspng ? 16 : 8).image
        #expect(try decoded(image.list(chunks)) == decoded(image.list()))
        // The statement of the next precedence counts.
        let next = ChunkList.Chunk.gAMA(80_000)
        if chunks[0].type != "gAMA" {
            #expect(try decoded(image.list(chunks + [next])) == decoded(image.list([next])))
        }
        let metadata = try ImageMetadata(of: image.list(chunks).file)
        #expect(!metadata.isHDR && metadata.codePoints == nil && metadata.colorProfileName == nil)
    }

    @Test("Of several chunks of one type the first counts", arguments: [8, 16])
    func duplicates(depth: Int) throws {
        let image = Layout(colorType: 2, depth: depth).image
        let pairs: [(ChunkList.Chunk, ChunkList.Chunk)] = [
            (.gAMA(80_000), .gAMA(55_556)), (.cICP(9, 16, 0, 1), .cICP(12, 13, 0, 1)),
            (.cHRMOfAdobeRGB, .cHRMOfSRGB),
        ]
        for (first, second) in pairs {
            #expect(try decoded(image.list([first, second])) == decoded(image.list([first])))
        }
    }

    @Test("A chunk after the palette or the pixels counts as absent")
    func late() throws {
        let image = Layout(colorType: 3).image
        for place in [2, 3] {
            var list = image.list()
            list.chunks.insert(contentsOf: [.cICP(9, 16, 0, 1), .gAMA(100_000)], at: place)
            #expect(try decoded(list) == decoded(image.list()))
            #expect(try ImageMetadata(of: list.file).isHDR == false)
        }
    }

    @Test("Thumbnails are converted after shrinking", arguments: Layout.colored + Layout.gray)
    func thumbnails(_ layout: Layout) throws {
        let target = PixelSize(width: 5, height: 5)
        let small = try PNGCodec().decode(layout.image.list().file, shrunkTo: target)
        let encoding = try #require(ColorEncoding(primaries: 9, transfer: 16))
        let expected = try #require(encoding.transform(of: ICCSamples(small.format))).converted(small)
        let file = layout.image.list([.cICP(9, 16, 0, 1)]).file
        let ours = try PNGCodec().decode(file, shrunkTo: target)
        #expect(Samples.all(ours) == Samples.all(expected))
        #expect(Samples.all(ours) != Samples.all(small))
    }

    @Test("The rows of a truncated file have the colours of the whole", arguments: [8, 16])
    func truncated(depth: Int) throws {
        let layout = Layout(colorType: 2, depth: depth)
        let file = layout.image.list([.gAMA(100_000)]).file
        let whole = try decoded(layout.image.list([.gAMA(100_000)]))
        let part = Samples.all(
            try PNGCodec().decode(
                file.prefix(file.count * 2 / 3), minimumSize: nil, acceptsPartialImages: true))
        #expect(part.prefix(15 * 5) == whole.prefix(15 * 5))
        #expect(part != whole)
    }

    @Test("Animations are converted after composing", arguments: ["partial-alpha", "gray", "grayalpha16"])
    func animations(name: String) throws {
        var animation = ChunkList(try Fixtures.data(named: "APNG/\(name).apng"))
        let plain = try APNGCodec.source(animation.file)
        animation.chunks.insert(.gAMA(100_000), at: 1)
        let colored = try APNGCodec.source(animation.file)
        var moved = 0.0
        for number in 0..<plain.frameCount {
            let (before, after) = (
                try #require(plain.frame(at: number)), try #require(colored.frame(at: number))
            )
            let maximum = Double(before.bitsPerComponent == 8 ? 255 : 65_535)
            for (stored, pixel) in zip(Samples.all(before), Samples.all(after)) {
                for channel in 0..<3 {
                    let exact = LightReference.encoded(Double(stored[channel]) / maximum)
                    #expect(abs(Double(pixel[channel]) / maximum - exact) <= 1.5 / 255)
                    moved = max(moved, abs(Double(pixel[channel] - stored[channel])) / maximum)
                }
                #expect(pixel[3] == stored[3])
            }
        }
        #expect(moved > 0.1)
    }

    @Test("Metadata name what decoding uses")
    func metadata() throws {
        let image = Layout(colorType: 2).image
        let embedded = ChunkList(try Fixtures.data(named: "Color/display-p3.png"))
        let profile = try #require(embedded.chunks.first { $0.type == "iCCP" })
        let named = try ImageMetadata(of: image.list([profile]).file)
        #expect(named.colorProfileName != nil && named.codePoints == nil)
        let hdr = try ImageMetadata(of: image.list([profile, .cICP(9, 18, 0, 1)]).file)
        #expect(hdr.isHDR && hdr.colorProfileName == nil)
        let ignored = try ImageMetadata(of: image.list([profile, .cICP(9, 18, 1, 1)]).file)
        #expect(!ignored.isHDR && ignored.colorProfileName == named.colorProfileName)
    }
}
