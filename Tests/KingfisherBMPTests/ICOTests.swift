import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers
import Testing

/// Our pixels against those of icotool and Pillow, and which image of a file is decoded.
@Suite struct ICOTests {
    private let codec = ICOCodec()

    @Test func allReferencesExist() {
        #expect(References.icons.count >= 12)
        #expect(References.sides(of: "ICO/many.ico") == [16, 32, 48, 64])
    }

    @Test(arguments: References.icons) func everyImageMatchesItsReference(name: String) throws {
        let data = try Fixtures.data(named: name)
        let sides = References.sides(of: name)
        let largest = try #require(sides.last)
        let header = try codec.header(of: data)
        #expect(header.size == PixelSize(width: largest, height: largest))
        #expect(header.isLossless && header.frameCount == 1)
        for side in sides {
            let target = PixelSize(width: side, height: side)
            let pixels = try codec.decode(data, shrunkTo: target)
            let reference = try References.pixels(of: "\(name).\(side)")
            #expect(pixels.size == target)
            #expect(
                Self.visible(try pixels.converted(to: .rgba8Straight).packedBytes)
                    == Self.visible(reference),
                "\(side)")
            #expect(header.hasAlpha == !pixels.format.isOpaque)
        }
        #expect(try codec.decode(data, minimumSize: nil).size == header.size)
    }

    /// Decoders keep different colours for invisible pixels.
    private static func visible(_ rgba: [UInt8]) -> [UInt8] {
        rgba.indices.map { rgba[$0 | 3] == 0 ? 0 : rgba[$0] }
    }

    // MARK: The image that fits

    /// A file of images with 32 bits whose alpha is their number.
    private func icon(_ images: [(width: Int, height: Int, bits: Int)]) -> Data {
        var directory = Data([0, 0, 1, 0, UInt8(images.count), 0])
        var bodies = Data()
        for (number, image) in images.enumerated() {
            var bitmap = BitmapFile(width: image.width, height: image.height * 2, body: Data())
            bitmap.bits = image.bits
            let pixel = [UInt8(number), 0, 0, 255].prefix(image.bits / 8)
            let row = Data((0..<image.width).flatMap { _ in pixel })
            let padded = row + Data(count: (4 - row.count % 4) % 4)
            bitmap.body = (0..<image.height).reduce(Data()) { body, _ in body + padded }
            bitmap.body += Data(count: (image.width + 31) / 32 * 4 * image.height)
            directory += [UInt8(image.width), UInt8(image.height), 0, 0, 1, 0, UInt8(image.bits), 0]
            directory.append(bitmap.bitmap.count, 4)
            directory.append(6 + 16 * images.count + bodies.count, 4)
            bodies += bitmap.bitmap
        }
        return directory + bodies
    }

    private func chosen(_ file: Data, minimum: Int) throws -> (number: Int?, width: Int) {
        let pixels = try codec.decode(file, minimumSize: PixelSize(width: minimum, height: minimum))
        return (pixels.samples(x: 0, y: 0)?[2], pixels.width)
    }

    @Test func theSmallestThatIsLargeEnoughFits() throws {
        let file = icon([(16, 16, 32), (48, 48, 32), (32, 32, 32)])
        #expect(try codec.header(of: file).size == PixelSize(width: 48, height: 48))
        for (minimum, expected) in [(16, 0), (17, 2), (32, 2), (33, 1), (48, 1), (49, 1), (1_000, 1)] {
            #expect(try chosen(file, minimum: minimum).number == expected, "\(minimum)")
        }
        #expect(try codec.decode(file, minimumSize: nil).width == 48)
    }

    @Test func ofEqualSizesTheOneWithTheMostBitsFits() throws {
        let file = icon([(32, 32, 24), (32, 32, 32), (16, 16, 24), (16, 16, 32), (16, 16, 24)])
        #expect(try chosen(file, minimum: 16).number == 3)
        #expect(try chosen(file, minimum: 32).number == 1)
    }

    @Test func imagesOfAnotherShapeDoNotFit() throws {
        let file = icon([(40, 20, 32), (24, 24, 32), (20, 10, 32)])
        let header = try codec.header(of: file)
        #expect(header.size == PixelSize(width: 40, height: 20))
        let small = try codec.decode(file, shrunkTo: PixelSize(width: 22, height: 11))
        #expect(small.samples(x: 0, y: 0)?[2] == 0)
        let smaller = try codec.decode(file, shrunkTo: PixelSize(width: 20, height: 10))
        #expect(smaller.samples(x: 0, y: 0)?[2] == 2)
    }

    @Test func theDirectoryMayLieAboutSizes() throws {
        let file = icon([(16, 16, 32), (32, 32, 32)]).replacing([200, 200], at: 6)
        #expect(try codec.header(of: file).size == PixelSize(width: 32, height: 32))
        #expect(try chosen(file, minimum: 10).number == 0)
    }

    @Test("A corrupt image is passed over, in the header as well, if another is intact")
    func oneCorruptImage() throws {
        let file = icon([(16, 16, 32), (32, 32, 32)])
        // The header of the second bitmap.
        let second = 6 + 32 + 40 + 16 * 16 * 4 + 16 * 4
        let damaged = file.replacing([99], at: second)
        for minimum in [1, 16, 32] { #expect(try chosen(damaged, minimum: minimum).number == 0) }
        #expect(try codec.header(of: damaged).size == PixelSize(width: 16, height: 16))
        #expect(try codec.decode(damaged, minimumSize: nil).width == 16)
        let alone = icon([(32, 32, 32)]).replacing([99], at: 6 + 16)
        #expect(codec.failure(of: alone) == .unsupported("a BMP header of 99 bytes"))
        // A truncated file is not a file with a corrupt image.
        #expect(codec.failure(of: file.dropLast(200 + 128)) == .truncated)
    }

    @Test(
        "A PNG with a wrong checksum, or with another chunk as its end, is passed over", arguments: [41, -6])
    func corruptPNG(_ place: Int) throws {
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        var file = icon([(16, 16, 32), (20, 20, 32)])
        let second = 6 + 16
        file.replaceSubrange(second + 8..<second + 16, with: Data())
        var fields = Data()
        fields.append(png.count, 4)
        fields.append(file.count + 8, 4)
        file.insert(contentsOf: fields, at: second + 8)
        let whole = file + png
        #expect(try codec.header(of: whole).size == PixelSize(width: 33, height: 21))
        var damaged = whole
        let index = place < 0 ? whole.count + place : file.count + place
        damaged[index] ^= 1
        #expect(try codec.header(of: damaged).size == PixelSize(width: 16, height: 16))
        #expect(try codec.decode(damaged, minimumSize: nil).width == 16)
        #expect(codec.failure(of: whole.dropLast(12)) == .truncated)
    }

    // MARK: Faults

    @Test func corruptDirectoriesAreRefused() {
        let file = icon([(16, 16, 32)])
        #expect(codec.failure(of: Data()) == .truncated)
        #expect(codec.failure(of: Data(count: 40)) == .corrupt("no ICO signature"))
        #expect(codec.failure(of: file.replacing([0xFF, 0xFF], at: 4)) == .tooManyFrames)
        #expect(codec.failure(of: file.replacing([0xFF, 0], at: 4)) == .truncated)
        #expect(codec.failure(of: file.replacing([0xFF, 0xFF, 0xFF, 0xFF], at: 18)) == .truncated)
        #expect(codec.failure(of: file.replacing([0, 0, 0, 0], at: 14)) == .truncated)
        // A length beyond the file does not matter.
        #expect(codec.failure(of: file.replacing([0xFF, 0xFF, 0xFF, 0x7F], at: 14)) == nil)
    }

    @Test(arguments: References.icons) func everyTruncationIsAnErrorOrHarmless(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try codec.decode(data, minimumSize: nil).packedBytes
        for count in stride(from: 0, to: data.count, by: data.count > 4_096 ? 37 : 1) {
            if let pixels = try? codec.decode(data.prefix(count), minimumSize: nil) {
                #expect(pixels.packedBytes == whole, "\(count)")
            }
        }
        #expect(codec.failure(of: data.prefix(data.count / 2)) != nil)
    }

    @Test func hugeImagesAreRefused() {
        let file = icon([(16, 16, 32)])
        let huge = file.replacing([0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0x7F], at: 26)
        #expect(codec.failure(of: huge) == .tooLarge(width: Int(Int32.max), height: Int(Int32.max) / 2))
        let large = file.replacing([0x10, 0x27, 0, 0, 0x20, 0x4E, 0, 0], at: 26)
        #expect(codec.failure(of: large) == .truncated)
    }

    /// Ten thousand entries for one PNG: the directory is read without a copy of each.
    @Test(.timeLimit(.minutes(1))) func manyEntriesForOneImageAreReadQuickly() throws {
        var png = try Fixtures.data(named: "PNG/rgba8.png")
        png += Data(count: 4 << 20)
        var file = Data([0, 0, 1, 0, 0x10, 0x27])
        for _ in 0..<10_000 {
            file += [33, 21, 0, 0, 1, 0, 32, 0]
            file.append(png.count, 4)
            file.append(6 + 160_000, 4)
        }
        file += png
        #expect(try codec.header(of: file).size == PixelSize(width: 33, height: 21))
        #expect(codec.failure(of: file) == nil)
    }
}
