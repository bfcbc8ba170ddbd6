import Foundation
import KingfisherCodecSupport
import KingfisherTIFF
import TestHelpers
import Testing

@Suite("TIFF: a plane for each channel", .enabled(if: Tools.arePresent))
struct PlaneTests {
    struct Layout: Sendable, CustomTestStringConvertible {
        var tile: (width: Int, height: Int)?
        var isBigEndian = false

        var testDescription: String {
            "\(tile.map { "tiles of \($0.width) x \($0.height)" } ?? "strips"), \(isBigEndian ? "MM" : "II")"
        }

        static let all = [
            Layout(), Layout(isBigEndian: true), Layout(tile: (32, 16)),
            Layout(tile: (16, 64), isBigEndian: true), Layout(tile: (128, 128)),
        ]
    }

    private func file<Sample: FixedWidthInteger>(
        _ samples: [Sample], _ channels: Int, _ layout: Layout, kind: PlaneFile.Kind = .unsigned,
        photometric: Int = 2, extra: [Int] = []
    ) -> Data {
        PlaneFile(
            width: 65, height: 49,
            planes: PlaneFile.planes(of: samples, channels, isBigEndian: layout.isBigEndian),
            bits: Sample.bitWidth, kind: kind, photometric: photometric, extra: extra, tile: layout.tile,
            isBigEndian: layout.isBigEndian
        ).data()
    }

    /// RGBA of 8 bits by libtiff's interface for it.
    private func decodeByLibrary(_ file: Data) throws -> [Int] {
        try values(decode(Tools.convert(file, by: "tiff2rgba", [])).converted(to: .rgba8Straight))
    }

    @Test("RGB of 16 bits is exact, and as tiff2rgba reads it in 8 bits", arguments: Layout.all)
    func deep(_ layout: Layout) throws {
        let expected = samples(65, 49, 3, maximum: 65_535)
        let file = file(expected.map { UInt16($0) }, 3, layout)
        let pixels = try decode(file)
        #expect(pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque))
        #expect(values(pixels) == expected.opaque(65_535))
        let small = try values(pixels.converted(to: .rgba8Opaque))
        #expect(try #require(small.distance(to: decodeByLibrary(file))) <= 1)
    }

    @Test("Alpha of 16 bits is a fourth plane; further planes are ignored", arguments: Layout.all)
    func alpha(_ layout: Layout) throws {
        let raw = samples(65, 49, 6, maximum: 65_535).map { UInt16($0) }
        let first = stride(from: 0, to: raw.count, by: 6).flatMap { raw[$0..<$0 + 4].map { Int($0) } }
        let straight = try decode(file(raw, 6, layout, extra: [2, 0, 0]))
        #expect(straight.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight))
        #expect(values(straight) == first)
        let ignored = try decode(file(raw, 6, layout, extra: [0, 0, 0]))
        #expect(ignored.format.isOpaque)
        let opaque = first.enumerated().map { $0.offset % 4 == 3 ? 65_535 : $0.element }
        #expect(values(ignored) == opaque)
    }

    @Test("Greyscale with alpha of 8 and 16 bits", arguments: Layout.all)
    func grayAlpha(_ layout: Layout) throws {
        let raw = samples(65, 49, 2, maximum: 65_535)
        let deep = try decode(file(raw.map { UInt16($0) }, 2, layout, photometric: 1, extra: [2]))
        #expect(deep.format == PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight))
        #expect(values(deep) == raw)
        let shallow = try decode(file(raw.map { UInt8($0 >> 8) }, 2, layout, photometric: 1, extra: [2]))
        #expect(values(shallow) == raw.map { $0 >> 8 })
    }

    @Test("Floating point of 16, 32 and 64 bits", arguments: Layout.all)
    func floats(_ layout: Layout) throws {
        let levels = samples(65, 49, 3, maximum: 65_535)
        let single = levels.map { (Float($0) / 65_535).bitPattern }
        #expect(try values(decode(file(single, 3, layout, kind: .float))) == levels.opaque(65_535))
        let double = levels.map { (Double($0) / 65_535).bitPattern }
        #expect(try values(decode(file(double, 3, layout, kind: .float))) == levels.opaque(65_535))
        // Quarters are exact in a half: 0, 0x3400, 0x3800, 0x3A00 and 0x3C00.
        let halves: [UInt16] = [0, 0x3400, 0x3800, 0x3A00, 0x3C00]
        let steps = levels.map { $0 * 4 / 65_535 }
        let half = try decode(file(steps.map { halves[$0] }, 3, layout, kind: .float))
        #expect(values(half) == steps.map { [0, 16_384, 32_768, 49_151, 65_535][$0] }.opaque(65_535))
    }

    @Test("Signed samples of 16 bits, and unsigned ones of 32", arguments: Layout.all)
    func integers(_ layout: Layout) throws {
        let levels = samples(65, 49, 3, maximum: 65_535)
        let signed = levels.map { Int16($0 - 32_768) }
        #expect(try values(decode(file(signed, 3, layout, kind: .signed))) == levels.opaque(65_535))
        let long = levels.map { UInt32($0) << 16 | 77 }
        #expect(try values(decode(file(long, 3, layout))) == levels.opaque(65_535))
    }

    @Test("CMYK of 8 bits is as tiff2rgba reads it, and so is CMYK of 16 bits", arguments: Layout.all)
    func inks(_ layout: Layout) throws {
        let raw = samples(65, 49, 4)
        let shallow = file(raw.map { UInt8($0) }, 4, layout, photometric: 5)
        let pixels = try values(decode(shallow).converted(to: .rgba8Straight))
        #expect(try #require(pixels.distance(to: decodeByLibrary(shallow))) <= 1)
        // libtiff's interface has no CMYK of 16 bits.
        let deep = file(raw.map { UInt16($0 * 257) }, 4, layout, photometric: 5)
        #expect(try values(decode(deep).converted(to: .rgba8Straight)) == pixels)
    }

    @Test(
        "YCbCr planes in JPEG become RGB as by tiff2rgba", arguments: [[], ["-t", "-w", "16", "-l", "16"]])
    func jpeg(_ arguments: [String]) throws {
        let raw = samples(64, 48, 3)
        let planes = PlaneFile(
            width: 64, height: 48, planes: PlaneFile.planes(of: raw.map { UInt8($0) }, 3), bits: 8,
            rowsPerStrip: 16
        ).data()
        // tiffcp would name the planes RGB, so their meaning is set afterwards.
        let coded = try Tools.convert(planes, ["-c", "jpeg:r:95"] + arguments)
        let file = try Tools.set(530, 1, 1, in: Tools.set(262, 6, in: coded))
        let pixels = try values(decode(file))
        #expect(pixels == (try decodeByLibrary(file)))
        #expect(try #require(pixels.distance(to: raw.opaque())) > 50)
    }

    @Test("Planes of 16 bits are averaged for a small target like pixels", arguments: Layout.all)
    func small(_ layout: Layout) throws {
        let image = try TestImages.smooth(65, 49, depth: .sixteen)
        let raw = values(image).enumerated().filter { $0.offset % 4 < 3 }.map { UInt16($0.element) }
        let target = PixelSize(width: 13, height: 10)
        let small = try TIFFCodec().decode(file(raw, 3, layout), shrunkTo: target)
        #expect(small.format.depth == .sixteen)
        let expected = try PixelGrid(image.resized(to: target))
        #expect(try PixelGrid(small).decibels(to: expected, peak: 65_535) > 38)
    }

    @Test("A file that ends within a plane is truncated", arguments: Layout.all)
    func truncated(_ layout: Layout) {
        let file = file(samples(65, 49, 3, maximum: 65_535).map { UInt16($0) }, 3, layout)
        for length in stride(from: 8, to: file.count, by: 997) {
            #expect(failure(of: file.prefix(length)) == .truncated, "\(length) bytes")
        }
    }
}
