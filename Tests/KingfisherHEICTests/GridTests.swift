import CHEIF
import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import KingfisherTestSupport
import TestHelpers
import Testing

/// Cells are decoded without libheif for small targets.
@Suite("HEIC: cells of grids", .enabled(if: Tools.arePresent))
struct GridTests {
    /// A grid of 3 x 2 cells of 128 x 96, of which the last ones exceed the image.
    private func grid(
        _ arguments: [String] = ["-q", "90"], depth: PixelFormat.Depth = .eight,
        size: (Int, Int) = (362, 174),
        _ change: (inout GridFile) -> Void = { _ in }
    ) throws -> Data {
        let image = try TestImages.smooth(384, 192, depth: depth)
        let cells = try (0..<6).map { number in
            let (x, y) = (number % 3 * 128, number / 3 * 96)
            return try Tools.encode(image.cropped(x: x, y: y, width: 128, height: 96), arguments)
        }
        var file = GridFile(cells: cells, columns: 3, cell: (128, 96), size: size)
        change(&file)
        return try file.data()
    }

    private func decibels(_ file: Data, to target: PixelSize, peak: Double = 255) throws -> Double {
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(small.size == target)
        return try PixelGrid(small).decibels(
            to: PixelGrid(Tools.decode(file).resized(to: target)), peak: peak)
    }

    static let encodings: [[String]] = [
        ["-q", "90", "-p", "chroma=444"], ["-q", "90", "-p", "chroma=422"], ["-q", "90", "-p", "chroma=420"],
        ["-q", "90", "--matrix_coefficients=1", "--full_range_flag=0"],
        ["-q", "90", "--matrix_coefficients=9"], ["-q", "90", "-b", "10"],
    ]

    @Test(
        "Small images look like those of libheif, also with odd sides", arguments: encodings,
        [PixelSize(width: 181, height: 87), PixelSize(width: 60, height: 29)])
    func small(_ arguments: [String], _ target: PixelSize) throws {
        let isDeep = arguments.contains("-b")
        let file = try grid(arguments, depth: isDeep ? .sixteen : .eight, size: (361, 173))
        #expect(try decibels(file, to: target, peak: isDeep ? 65_535 : 255) > 40)
    }

    @Test("Code points of cells apply as in libheif", arguments: [1, 6, 9] as [UInt8], [0, 0x80] as [UInt8])
    func codePoints(_ matrix: UInt8, _ range: UInt8) throws {
        let colors = HEIFFile.box("colr", Data("nclx".utf8) + Data([0, 1, 0, 13, 0, matrix, range]))
        let file = try grid { $0.cellProperties = [colors] }
        #expect(try decibels(file, to: PixelSize(width: 90, height: 43)) > 40)
    }

    @Test("A rotation of the cells is left to libheif")
    func turnedCells() throws {
        let turn = HEIFFile.rotation(2)
        let file = try grid { $0.cellProperties = [turn] }
        #expect(try decibels(file, to: PixelSize(width: 90, height: 43)) > 40)
    }

    @Test("A photograph as phones write it is upright, and in sRGB", arguments: [1.0, 2, 5])
    func phone(_ divisor: Double) throws {
        let profile = try Data(contentsOf: Fixtures.url(named: "Color/rec2020.icc"))
        let turn = HEIFFile.rotation(3)
        let thumbnail = try Tools.encode(
            TestImages.smooth(384, 192).resized(to: PixelSize(width: 128, height: 64)), "-q", "90")
        let file = try grid(["-q", "90", "-p", "chroma=420"], size: (384, 192)) {
            $0.properties = [HEIFFile.profile(profile), turn]
            $0.thumbnail = (thumbnail, 128, 64, [turn])
            $0.usesItemData = true
        }
        let codec = HEICCodec()
        #expect(try codec.header(of: file).displaySize == PixelSize(width: 192, height: 384))
        #expect(try codec.metadataBlocks(of: file).profile == profile)
        let target = PixelSize(width: Int(192 / divisor), height: Int(384 / divisor))
        let whole = try codec.decode(file, minimumSize: nil)
        // heif-convert writes the profile into the PNG, whose colours become sRGB as well.
        let reference = try Tools.decode(file)
        #expect(whole.size == reference.size)
        #expect(try PixelGrid(whole).decibels(to: PixelGrid(reference)) > 45)
        let small = try codec.decode(file, shrunkTo: target)
        // The thumbnail, for the smallest target, has less detail.
        let minimum = divisor == 5 ? 28.0 : 38
        #expect(try PixelGrid(small).decibels(to: PixelGrid(whole.resized(to: target))) > minimum)
    }

    @Test("A small target takes memory for a row of cells, not for the image")
    func memory() throws {
        // 12 megapixels of one cell.
        let cell = try Tools.encode(TestImages.smooth(512, 512), "-q", "50")
        let file = try GridFile(
            cells: Array(repeating: cell, count: 48), columns: 8, cell: (512, 512), size: (4_032, 3_024)
        ).data()
        let target = PixelSize(width: 1_008, height: 756)
        let needed = try HEICCodec().decodingMemory(of: file, target: target)
        #expect(needed < 32 << 20)
        #expect(try HEICCodec().decodingMemory(of: file, target: nil) > 12 * 4 << 20)
        let context = DecodingContext(limits: ImageLimits(maximumFrameBytes: needed))
        context.run {
            #expect((try? HEICCodec().decode(file, shrunkTo: target))?.size == target)
            #expect(failure(of: file) == .tooMuchMemory)
        }
    }

    @Test("Memory includes that of cells larger than the image")
    func hiddenCells() throws {
        let cell = try Tools.encode(TestImages.smooth(512, 512), "-q", "50")
        let file = try GridFile(cells: [cell], columns: 1, cell: (512, 512), size: (64, 64)).data()
        let codec = HEICCodec()
        #expect(try codec.decode(file, minimumSize: nil).size == PixelSize(width: 64, height: 64))
        for target in [nil, PixelSize(width: 8, height: 8)] {
            #expect(try codec.decodingMemory(of: file, target: target) > 512 * 512 * 6)
        }
        let context = DecodingContext(limits: ImageLimits(maximumFrameBytes: 1 << 20))
        context.run {
            #expect(failure(of: file) == .tooMuchMemory)
            #expect(throws: ImageCodecError.tooMuchMemory) {
                try codec.decode(file, shrunkTo: PixelSize(width: 8, height: 8))
            }
        }
    }

    @Test("Many cells behind a small image are refused, because decoding them takes long")
    func work() throws {
        let cell = try Tools.encode(TestImages.smooth(64, 64))
        let cells = Array(repeating: cell, count: 8)
        let file = try GridFile(cells: cells, columns: 8, cell: (64, 64), size: (64, 64)).data()
        let context = DecodingContext(limits: ImageLimits(maximumPixels: 2 * 64 * 64))
        context.run { #expect(failure(of: file) == .unsupported("36864 pixels in the parts of an image")) }
        // Within that limit, libheif 1.15 refuses cells outside of the image; 1.23 gives an image.
        let isOld = try #require(kf_heif()).pointee.heif_get_version_number() < 0x0110_0000
        for side in [64, 8] {
            let size = PixelSize(width: side, height: side)
            let pixels = try? HEICCodec().decode(file, shrunkTo: size)
            #expect(pixels == nil || !isOld && pixels?.size == size)
        }
    }

    @Test("A cell of another size than declared is not decoded", arguments: [122, 170] as [UInt8])
    func lyingCell(_ side: UInt8) throws {
        let file = try grid()
        let lying = try file.replacing("ispe", at: 4, with: [0, 0, 0, side, 0, 0, 0, side])
        #expect(throws: ImageCodecError.corrupt("another size or depth than declared")) {
            try HEICCodec().decode(lying, shrunkTo: PixelSize(width: 30, height: 15))
        }
    }

    @Test("A corrupt cell fails for every target, and a file that ends in one is truncated")
    func corruptCell() throws {
        let file = try grid()
        let place = file.count - 400
        var corrupt = file
        for index in place..<place + 200 { corrupt[index] = 0xA5 }
        let target = PixelSize(width: 30, height: 15)
        #expect(failure(of: corrupt) != nil)
        #expect(throws: ImageCodecError.self) { try HEICCodec().decode(corrupt, shrunkTo: target) }
        #expect(throws: ImageCodecError.truncated) {
            try HEICCodec().decode(file.prefix(place), shrunkTo: target)
        }
    }
}
