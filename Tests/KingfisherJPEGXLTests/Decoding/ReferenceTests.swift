import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("JPEG XL: pixels as djxl decodes them", .enabled(if: Tools.arePresent))
struct ReferenceTests {
    static let losslessOptions: [[String]] = [
        [], ["--container=1"], ["-e", "1"], ["-e", "7"], ["-g", "0"], ["-g", "3"], ["-p"],
        ["--group_order=1"],
    ]

    @Test("Lossless pixels equal those that were encoded", arguments: ReferenceTests.losslessOptions)
    func lossless(_ options: [String]) throws {
        // Three by three tiles of 256 pixels, with parts of tiles at the edges.
        let image = try Samples.noise(521, 515)
        let file = try Tools.encode(image, options)
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Opaque)
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(image)) == 0)
        let header = try JPEGXLCodec().header(of: file)
        #expect(header.isLossless && !header.hasAlpha && header.bitsPerComponent == 8)
        #expect(file.starts(with: options.contains("--container=1") ? [0, 0, 0, 12] : [0xFF, 0x0A]))
    }

    static let kinds: [PixelFormat] = [.eight, .sixteen].flatMap { depth in
        [
            PixelFormat(layout: .rgba, depth: depth, alpha: .opaque),
            PixelFormat(layout: .rgba, depth: depth, alpha: .straight),
            PixelFormat(layout: .gray, depth: depth, alpha: .opaque),
            PixelFormat(layout: .grayAlpha, depth: depth, alpha: .straight),
        ]
    }

    @Test("Each layout and depth is kept exactly", arguments: ReferenceTests.kinds)
    func layouts(_ format: PixelFormat) throws {
        let image = try Samples.image(of: format, 300, 70)
        let file = try Tools.encode(image)
        let pixels = try decode(file)
        #expect(pixels.format == format)
        // cjxl 0.7 rounds alpha to 8 bits.
        let isRounded = format.depth == .sixteen && !format.isOpaque
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(image), ofColors: isRounded) == 0)
        #expect(try #require(try PixelGrid(pixels).distance(to: PixelGrid(image))) <= (isRounded ? 129 : 0))
        let header = try JPEGXLCodec().header(of: file)
        #expect(header.bitsPerComponent == format.depth.rawValue)
        #expect(header.hasAlpha == !format.isOpaque)
    }

    static let lossyOptions: [[String]] = [
        ["-d", "1"], ["-d", "3", "-e", "7"], ["-d", "1", "-p"], ["-d", "1", "-m", "1"],
        ["-d", "1", "--progressive_dc=1"], ["-d", "1", "--group_order=1"],
        ["-d", "2", Tools.noise], ["-d", "1", "--epf=3"],
    ]

    /// djxl 0.7 cannot write cjxl's files of 16 bits with alpha of 8.
    static let lossyKinds = kinds.filter { $0.depth == .eight || $0.isOpaque }

    @Test("Lossy pixels equal djxl's", arguments: ReferenceTests.lossyOptions, ReferenceTests.lossyKinds)
    func lossy(_ options: [String], _ format: PixelFormat) throws {
        let image = try Samples.image(of: format, 281, 270)
        let file = try Tools.encode(image, options)
        let pixels = try decode(file)
        #expect(pixels.format == format)
        #expect(try !JPEGXLCodec().header(of: file).isLossless)
        // djxl takes other steps from floating point to integers.
        let level = format.depth == .eight ? 1 : 257
        let distance = try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file)))
        #expect(try #require(distance) <= level)
    }

    @Test("Samples of 10 and 12 bits become 16", arguments: [10, 12])
    func depths(_ bits: Int) throws {
        let image = try TestImages.gradients(depth: .sixteen)
        let file = try Tools.encode(image, ["--override_bitdepth=\(bits)"])
        let pixels = try decode(file)
        #expect(try JPEGXLCodec().header(of: file).bitsPerComponent == bits)
        #expect(pixels.format.depth == .sixteen)
        // The steps of the depth, of which the nearest is stored.
        let step = 65_535 / ((1 << bits) - 1) + 1
        #expect(try #require(try PixelGrid(pixels).distance(to: PixelGrid(image))) <= step)
    }

    @Test("Floating point is clipped to 16 bits")
    func floatingPoint() throws {
        let values: [Float] = [-0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 64]
        let file = try Tools.encode(Self.pfm(values), "pfm", ["-x", "color_space=RGB_D65_SRG_Rel_SRG"])
        #expect(try JPEGXLCodec().header(of: file).bitsPerComponent == 32)
        let pixels = try decode(file)
        #expect(pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque))
        for (x, value) in values.enumerated() {
            let expected = Int((min(max(value, 0), 1) * 65_535).rounded())
            #expect(pixels.samples(x: x, y: 0) == [expected, expected, expected, 65_535])
        }
    }

    /// A row of greys as a colour PFM, little-endian.
    private static func pfm(_ values: [Float]) -> Data {
        var file = Data("PF\n\(values.count) 1\n-1.0\n".utf8)
        for value in values.flatMap({ [$0, $0, $0] }) {
            withUnsafeBytes(of: value.bitPattern.littleEndian) { file.append(contentsOf: $0) }
        }
        return file
    }

    @Test("A JPEG in JPEG XL has its pixels, and its EXIF orientation is applied", arguments: 1...8)
    func orientation(_ number: Int) throws {
        let jpeg = try Fixtures.data(named: "JPEG/orientation-\(number).jpg")
        let file = try Tools.encode(jpeg, "jpg")
        let codec = try #require(CodecRegistry.builtIn.codec(for: .JPEG))
        let expected = try codec.decode(jpeg, minimumSize: nil)
        let header = try JPEGXLCodec().header(of: file)
        #expect(header.orientation == Image.Orientation(exif: number))
        #expect(header.displaySize == expected.size && !header.isLossless)
        let pixels = try decode(file)
        // Filters of chroma and rounding of the inverse DCT differ.
        #expect(try PixelGrid(pixels).decibels(to: PixelGrid(expected)) > 35)
        let target = PixelSize(width: expected.width / 2, height: expected.height / 2)
        let small = try JPEGXLCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(expected.resized(to: target))) > 35)
    }
}
