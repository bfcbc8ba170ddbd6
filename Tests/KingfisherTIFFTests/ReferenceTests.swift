import Foundation
import KingfisherCodecSupport
import KingfisherTIFF
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("TIFF: pixels of files that libtiff's tools write", .enabled(if: Tools.arePresent))
struct ReferenceTests {
    static let variants: [[String]] = [
        [], ["-c", "lzw:2"], ["-c", "zip"], ["-c", "packbits"], ["-B"], ["-r", "7"], ["-r", "49"],
        ["-t", "-w", "32", "-l", "16"], ["-p", "separate"], ["-p", "separate", "-c", "lzw", "-r", "49"],
        ["-p", "separate", "-t", "-w", "16", "-l", "32", "-c", "zip:2"], ["-8"], ["-c", "zstd"],
    ]

    @Test("RGB of 8 bits in each layout and compression", arguments: variants)
    func rgb(_ arguments: [String]) throws {
        let expected = samples(65, 49, 3)
        let file = try Tools.convert(
            Tools.file(bytes(expected.map { UInt8($0) }), 65, 49, bands: 3), arguments)
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Opaque)
        #expect(values(pixels) == expected.opaque())
    }

    // tiffcp separates planes of 8 bits only.
    @Test(
        "RGB of 16 bits in each layout and compression",
        arguments: variants.filter { !$0.contains("separate") })
    func deep(_ arguments: [String]) throws {
        let expected = samples(65, 49, 3, maximum: 65_535)
        let source = try Tools.file(bytes(expected.map { UInt16($0) }), 65, 49, bands: 3, type: "short")
        let pixels = try decode(Tools.convert(source, arguments))
        #expect(pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque))
        #expect(values(pixels) == expected.opaque(65_535))
        #expect(try TIFFCodec().header(of: source).bitsPerComponent == 16)
    }

    @Test(
        "Greyscale of 8, 16 and 32 bits and of floating point",
        arguments: ["byte", "short", "long", "float", "double"])
    func gray(_ type: String) throws {
        let levels = samples(40, 30, 1, maximum: 65_535)
        let data =
            switch type {
            case "byte": bytes(levels.map { UInt8($0 >> 8) })
            case "short": bytes(levels.map { UInt16($0) })
            case "long": bytes(levels.map { UInt32($0) << 16 })
            case "float": bytes(levels.map { Float($0) / 65_535 })
            default: bytes(levels.map { Double($0) / 65_535 })
            }
        let file = try Tools.file(data, 40, 30, bands: 1, type: type, photometric: "minisblack")
        let pixels = try decode(Tools.convert(file, ["-c", "zip"]))
        #expect(pixels.format.layout == .gray)
        #expect(values(pixels) == (type == "byte" ? levels.map { $0 >> 8 } : levels))
    }

    @Test("Values of floating point outside of 0...1 are clipped, and NaN is black")
    func clipped() throws {
        let file = try Tools.file(
            bytes([-1, 2, .nan, 0.5] as [Float]), 4, 1, bands: 1, type: "float", photometric: "minisblack")
        #expect(try values(decode(file)) == [0, 65_535, 0, 32_768])
    }

    @Test("White as 0 is inverted")
    func inverted() throws {
        let levels = samples(16, 8, 1)
        let file = try Tools.file(
            bytes(levels.map { UInt8($0) }), 16, 8, bands: 1, photometric: "miniswhite")
        #expect(try values(decode(file)) == levels.map { 255 - $0 })
    }

    @Test("Each orientation turns the pixels as tiff2rgba or Pillow do", arguments: 1...8)
    func orientation(_ number: Int) throws {
        let file = try Tools.set(
            274, number, in: Tools.file(bytes(samples(24, 16, 3).map { UInt8($0) }), 24, 16, bands: 3))
        let pixels = try decode(file)
        #expect(try TIFFCodec().header(of: file).displaySize == pixels.size)
        let upright = try Tools.pillow(
            """
            # Pillow applies the orientation of TIFF files when it loads them, since version 6.
            image = Image.open(sys.argv[1])
            open(sys.argv[2], 'wb').write(image.convert('RGBA').tobytes())
            """, file)
        #expect(values(pixels) == upright.map { Int($0) })
    }

    @Test("Each page of a file is decoded by its number")
    func pages() throws {
        let pages = try (1...3).map { number in
            try Tools.file(
                Data(repeating: UInt8(number * 50), count: 8 * 4 * number), 8, 4 * number, bands: 1,
                photometric: "minisblack")
        }
        let file = try Tools.joined(pages)
        #expect(TIFFCodec.pageCount(of: file) == 3)
        for page in 0..<3 {
            let pixels = try decode(file, page: page)
            #expect(pixels.size == PixelSize(width: 8, height: 4 * (page + 1)))
            #expect(values(pixels).allSatisfy { $0 == (page + 1) * 50 })
        }
        #expect(throws: ImageCodecError.corrupt("no page 3")) { try decode(file, page: 3) }
        #expect(TIFFCodec.pageCount(of: Data()) == 0)
    }

    @Test(
        "JPEG in TIFF and its YCbCr are near the original",
        arguments: [["-c", "jpeg:95", "-r", "16"], ["-c", "jpeg:r:95", "-r", "16"]])
    func jpeg(_ arguments: [String]) throws {
        let image = try TestImages.smooth(96, 80)
        let raw = values(image).enumerated().filter { $0.offset % 4 < 3 }.map { UInt8($0.element) }
        let file = try Tools.convert(Tools.file(bytes(raw), 96, 80, bands: 3), arguments)
        #expect(try PixelGrid(decode(file)).decibels(to: PixelGrid(image)) > 38)
        #expect(try !TIFFCodec().header(of: file).isLossless)
    }
}

@Suite("TIFF: pixels as Pillow decodes them", .enabled(if: Tools.arePresent && Tools.hasPillow))
struct PillowTests {
    static let modes = [
        "image.convert('1').save(sys.argv[2], 'TIFF', compression='group4')",
        "image.convert('1').save(sys.argv[2], 'TIFF', compression='group3')",
        "image.convert('1').save(sys.argv[2], 'TIFF')",
        "image.convert('P', palette=Image.ADAPTIVE).save(sys.argv[2], 'TIFF', compression='tiff_lzw')",
        "image.convert('P', palette=Image.ADAPTIVE, colors=16).save(sys.argv[2], 'TIFF', bits=4)",
        "image.convert('L').save(sys.argv[2], 'TIFF', compression='tiff_adobe_deflate')",
        "image.convert('CMYK').save(sys.argv[2], 'TIFF')",
        "image.save(sys.argv[2], 'TIFF', compression='packbits')",
    ]

    @Test("Bilevel, palettes, greyscale and CMYK", arguments: modes)
    func kinds(_ script: String) throws {
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        let file = try Tools.pillow(
            "image = Image.open('\(photo)').resize((90, 61))\n\(script)")
        let pixels = try decode(file).converted(to: .rgba8Opaque)
        #expect(try #require(values(pixels).distance(to: Tools.decodeByPillow(file))) <= 1)
    }

    @Test("Alpha that is not associated is straight, other extra samples are ignored")
    func alpha() throws {
        let raw = samples(20, 10, 4)
        let plain = try Tools.file(bytes(raw.map { UInt8($0) }), 20, 10, bands: 4)
        let opaque = stride(from: 0, to: raw.count, by: 4).flatMap { raw[$0..<$0 + 3] + [255] }
        #expect(try values(decode(Tools.set(338, 1, 0, in: plain))) == opaque)
        let straight = try Tools.set(338, 1, 2, in: plain)
        let pixels = try decode(straight)
        #expect(pixels.format == .rgba8Straight)
        #expect(values(pixels) == raw)
        // Pillow reads RGBA in one order of bits only.
        #expect(try Tools.decodeByPillow(Tools.convert(straight, ["-f", "msb2lsb"])) == raw)
        #expect(try decode(Tools.set(338, 1, 1, in: plain)).format == .rgba8Premultiplied)
    }

    @Test("CMYK with a profile becomes sRGB as by lcms2 in Pillow")
    func inks() throws {
        let profile = Fixtures.url(named: "Color/inks.icc").path
        let file = try Tools.pillow(
            """
            image = Image.new('CMYK', (4, 1))
            image.putdata([(0, 0, 0, 0), (200, 30, 20, 10), (10, 200, 40, 0), (0, 0, 0, 255)])
            image.save(sys.argv[2], 'TIFF', icc_profile=open('\(profile)', 'rb').read())
            """)
        let expected = try Tools.pillow(
            """
            from PIL import ImageCms
            image = Image.open(sys.argv[1])
            result = ImageCms.profileToProfile(image, '\(profile)', ImageCms.createProfile('sRGB'), outputMode='RGB')
            open(sys.argv[2], 'wb').write(result.convert('RGBA').tobytes())
            """, file)
        #expect(try #require(values(decode(file)).distance(to: expected.map { Int($0) })) <= 2)
    }

    @Test("CIE L*a*b* becomes RGB as by tiff2rgba")
    func lab() throws {
        let file = try Tools.pillow(
            """
            image = Image.new('LAB', (4, 3))
            image.putdata([(20 * i, 10 * i, 250 - 9 * i) for i in range(12)])
            image.save(sys.argv[2], 'TIFF')
            """)
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Opaque)
        #expect(try values(pixels) == values(decode(Tools.convert(file, by: "tiff2rgba", []))))
    }

    @Test("EXIF fields are copied without the pixels")
    func metadata() throws {
        let file = try Tools.pillow(
            """
            from PIL import TiffImagePlugin
            info = TiffImagePlugin.ImageFileDirectory_v2()
            info[271] = 'Maker'
            info[306] = '2026:01:02 03:04:05'
            info[700] = b'<x:xmpmeta/>'
            Image.new('RGB', (64, 64)).save(sys.argv[2], 'TIFF', tiffinfo=info, dpi=(300, 300))
            """)
        let blocks = try TIFFCodec().metadataBlocks(of: file)
        let exif = try #require(blocks.exif)
        #expect(exif.count < 300)
        #expect(exif.firstRange(of: Data("Maker".utf8)) != nil)
        #expect(blocks.xmp == Data("<x:xmpmeta/>".utf8))
    }
}

@Suite("TIFF: small targets", .enabled(if: Tools.arePresent))
struct ScaledTests {
    @Test(
        "Averaged rows look like resampled pixels",
        arguments: [
            [], ["-t", "-w", "64", "-l", "64"], ["-p", "separate", "-r", "192"],
            ["-c", "jpeg:95", "-r", "64"],
        ])
    func rows(_ arguments: [String]) throws {
        let image = try TestImages.smooth(256, 192)
        let raw = values(image).enumerated().filter { $0.offset % 4 < 3 }.map { UInt8($0.element) }
        let file = try Tools.convert(Tools.file(bytes(raw), 256, 192, bands: 3), arguments)
        let target = PixelSize(width: 32, height: 24)
        let small = try TIFFCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(image.resized(to: target))) > 38)
    }

    @Test("A page that must be turned is refused if two images exceed the limit", arguments: 1...8)
    func turned(_ number: Int) throws {
        let plain = try Tools.file(Data(count: 400 * 300 * 3), 400, 300, bands: 3)
        let file = try Tools.set(274, number, in: plain)
        let context = DecodingContext(limits: ImageLimits(maximumFrameBytes: 400 * 300 * 6))
        context.run { #expect(failure(of: file) == (number == 1 ? nil : .tooMuchMemory)) }
    }

    @Test("A large page is shrunk within a small limit for memory")
    func memory() throws {
        let file = try Tools.convert(
            Tools.file(Data(count: 4_000 * 3_000 * 3), 4_000, 3_000, bands: 3), ["-c", "zip", "-r", "100"])
        let context = DecodingContext(limits: ImageLimits(maximumFrameBytes: 3 << 20))
        let target = PixelSize(width: 100, height: 75)
        context.run {
            #expect((try? TIFFCodec().decode(file, shrunkTo: target))?.size == target)
            #expect(failure(of: file) == .tooMuchMemory)
        }
    }
}
