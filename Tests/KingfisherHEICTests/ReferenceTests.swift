import Foundation
import KingfisherCodecSupport
@testable import KingfisherHEIC
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("HEIC: pixels as heif-convert decodes them", .enabled(if: Tools.arePresent))
struct ReferenceTests {
    static let encodings: [[String]] = [
        ["-p", "chroma=444"], ["-p", "chroma=422"], ["-p", "chroma=420"], ["-q", "20"],
        ["--matrix_coefficients=1", "--full_range_flag=0"], ["--matrix_coefficients=9"],
        ["-L", "-p", "chroma=444", "--matrix_coefficients=0"],
    ]

    @Test("8 bits equal heif-convert's, also with odd sides", arguments: ReferenceTests.encodings)
    func eightBits(_ arguments: [String]) throws {
        let file = try Tools.encode(TestImages.gradients(65, 49), arguments)
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Opaque)
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file))) == 0)
    }

    @Test("10 and 12 bits become 16 and equal heif-convert's", arguments: ["10", "12"], ["444", "420"])
    func sixteenBits(_ depth: String, _ chroma: String) throws {
        let image = try TestImages.gradients(depth: .sixteen)
        let file = try Tools.encode(image, "-b", depth, "-p", "chroma=\(chroma)")
        let pixels = try decode(file)
        #expect(pixels.format == PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque))
        #expect(try HEICCodec().header(of: file).bitsPerComponent == Int(depth))
        // heif-convert shifts samples, where the highest should become 65,535.
        let step = 65_536 >> (try #require(Int(depth)))
        let distance = try #require(try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file))))
        #expect(distance <= step)
    }

    @Test("Greyscale equals heif-convert's")
    func greyscale() throws {
        let file = try Tools.encode(Data(contentsOf: Fixtures.url(named: "JPEG/gray.jpg")), "jpg", [])
        #expect(try PixelGrid(decode(file)).distance(to: PixelGrid(Tools.decode(file))) == 0)
    }

    @Test("Alpha is straight and equals heif-convert's")
    func alpha() throws {
        let file = try Tools.encode(TestImages.gradients(alpha: true), "-q", "90")
        let pixels = try decode(file)
        #expect(pixels.format == .rgba8Straight)
        #expect(try HEICCodec().header(of: file).hasAlpha)
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(Tools.decode(file))) == 0)
    }

    @Test("Two threads decode the same pixels", arguments: [PixelSize(width: 300, height: 200), nil])
    func threads(_ size: PixelSize?) throws {
        let file = try Tools.encode(TestImages.smooth(1_280, 854), "-q", "40")
        let pixels = try [true, false].map { usesIdleCores in
            try DecodingContext(usesIdleCores: usesIdleCores).run {
                try size.map { try HEICCodec().decode(file, shrunkTo: $0) } ?? decode(file)
            }
        }
        #expect(pixels[0].packedBytes == pixels[1].packedBytes)
    }

    @Test("A corrupt file that libde265 refuses only with threads is shown")
    func corruptWithThreads() throws {
        let file = try Tools.encode(TestImages.smooth(1_280, 854), "-q", "40")
        let start = try #require(file.range(of: Data("mdat".utf8))).upperBound + 64
        var refusedWithThreads = 0
        for number in 0..<200 {
            var corrupt = file
            let place = start + number * (file.count - start) / 200
            corrupt[place] ^= UInt8(1 << (number % 8))
            let heic = try HEICFile(EncodedFile(corrupt))
            let image = try HEICImage(heic.primary, of: heic)
            let isShown = [2, 0].map { threads in
                let decoder = try? HEICPixelDecoder(heic, image, colors: nil, threads: threads)
                return (try? decoder?.decode(to: image.displaySize)) != nil
            }
            guard !isShown[0], isShown[1] else { continue }
            refusedWithThreads += 1
            #expect((try? decode(corrupt)) != nil, "byte \(place)")
        }
        #expect(refusedWithThreads > 0)
    }

    @Test("Lossless pixels equal those that were encoded")
    func lossless() throws {
        let image = try TestImages.gradients()
        let file = try Tools.encode(image, "-L", "-p", "chroma=444", "--matrix_coefficients=0")
        #expect(try #require(try PixelGrid(decode(file)).distance(to: PixelGrid(image))) <= 1)
    }
}

@Suite("HEIC: grids, turns and thumbnails", .enabled(if: Tools.arePresent))
struct DerivedImageTests {
    private func grid(_ properties: [Data] = []) throws -> Data {
        let image = try TestImages.smooth(256, 128)
        let cells = try [(0, 0), (128, 0), (0, 64), (128, 64)].map { x, y in
            try Tools.encode(image.cropped(x: x, y: y, width: 128, height: 64))
        }
        return try GridFile(
            cells: cells, columns: 2, cell: (128, 64), size: (250, 120), properties: properties
        ).data()
    }

    @Test("The cells of a grid form one image, also at a small size")
    func cells() throws {
        let file = try grid()
        let pixels = try decode(file)
        #expect(pixels.size == PixelSize(width: 250, height: 120))
        let reference = try Tools.decode(file)
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(reference)) == 0)
        let target = PixelSize(width: 50, height: 24)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(reference.resized(to: target))) > 40)
    }

    static let transforms: [[(String, [UInt8])]] =
        (0..<4).map { [("irot", [$0])] } + [[("imir", [0])], [("imir", [1])]]
        + [[("irot", [1]), ("imir", [0])], [("imir", [1]), ("irot", [1])], [("imir", [0]), ("imir", [1])]]

    @Test("Rotations and reflections apply in the order of the file", arguments: transforms.indices)
    func turns(_ index: Int) throws {
        let properties = Self.transforms[index].map { HEIFFile.box($0.0, Data($0.1)) }
        let file = try grid(properties)
        let reference = try Tools.decode(file)
        let pixels = try decode(file)
        #expect(try HEICCodec().header(of: file).displaySize == reference.size)
        #expect(try PixelGrid(pixels).distance(to: PixelGrid(reference)) == 0)
        let target = PixelSize(width: reference.width / 5, height: reference.height / 5)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(reference.resized(to: target))) > 40)
    }

    @Test("A crop applies before and after a rotation", arguments: [false, true])
    func crops(_ isAfter: Bool) throws {
        let area = isAfter ? HEIFFile.crop(60, 100, -20, 15) : HEIFFile.crop(100, 60, 15, -20)
        let turn = HEIFFile.rotation(1)
        let file = try grid(isAfter ? [turn, area] : [area, turn])
        let reference = try Tools.decode(file)
        #expect(reference.size == PixelSize(width: 60, height: 100))
        #expect(try HEICCodec().header(of: file).displaySize == reference.size)
        #expect(try PixelGrid(decode(file)).distance(to: PixelGrid(reference)) == 0)
        let target = PixelSize(width: 15, height: 25)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(reference.resized(to: target))) > 38)
    }

    @Test("The thumbnail is decoded for targets that it covers, and only for these")
    func thumbnail() throws {
        let file = try Tools.encode(TestImages.smooth(640, 480), "-t", "160", "-q", "90")
        // libheif makes the thumbnail without a filter.
        let small = PixelSize(width: 120, height: 90)
        let codec = HEICCodec()
        let expected = try Tools.decode(file).resized(to: small)
        let pixels = try codec.decode(file, shrunkTo: small)
        #expect(pixels.size == small)
        #expect(try PixelGrid(pixels).decibels(to: PixelGrid(expected)) > 28)
        #expect(
            try codec.decodingMemory(of: file, target: small) < codec.decodingMemory(
                of: file, target: PixelSize(width: 320, height: 240)) / 3)
        let large = try codec.decode(file, shrunkTo: PixelSize(width: 320, height: 240))
        #expect(
            try PixelGrid(large).decibels(to: PixelGrid(Tools.decode(file).resized(to: large.size))) > 40)
    }
}

@Suite("HEIC: small targets", .enabled(if: Tools.arePresent))
struct ScaledTests {
    static let encodings: [[String]] = [
        ["-p", "chroma=444"], ["-p", "chroma=422"], ["-p", "chroma=420"], ["--matrix_coefficients=1"],
        ["--full_range_flag=0"], ["-b", "10"], ["--matrix_coefficients=0", "-p", "chroma=444"],
        ["--matrix_coefficients=9", "--full_range_flag=0"],
    ]

    @Test(
        "Scaled planes look like scaled pixels", arguments: ScaledTests.encodings,
        [PixelSize(width: 80, height: 60), PixelSize(width: 20, height: 15)])
    func planes(_ arguments: [String], _ target: PixelSize) throws {
        let depth: PixelFormat.Depth = arguments.first == "-b" ? .sixteen : .eight
        let file = try Tools.encode(TestImages.smooth(256, 192, depth: depth), ["-q", "90"] + arguments)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        let expected = try Tools.decode(file).resized(to: target)
        #expect(small.size == target && small.format.depth == depth)
        let peak = Double(depth == .eight ? 255 : 65_535)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(expected), peak: peak) > 40)
    }

    @Test("Alpha weights the colours", arguments: [[], ["--premultiplied-alpha"]])
    func alpha(_ arguments: [String]) throws {
        let file = try Tools.encode(
            TestImages.smooth(256, 192, alpha: true), ["-q", "95", "-p", "chroma=444"] + arguments)
        let target = PixelSize(width: 80, height: 60)
        let small = try HEICCodec().decode(file, shrunkTo: target)
        let expected = try decode(file).resized(to: target)
        #expect(try #require(try PixelGrid(small).distance(to: PixelGrid(expected))) <= 4)
    }

    @Test("A minimum size gives at least that size")
    func minimum() throws {
        let file = try Tools.encode(TestImages.gradients(256, 192))
        let pixels = try HEICCodec().decode(file, minimumSize: PixelSize(width: 100, height: 90))
        #expect(pixels.size == PixelSize(width: 120, height: 90))
    }
}
