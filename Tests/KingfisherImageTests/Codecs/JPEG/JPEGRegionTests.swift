import Foundation
import JPEGWriter
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Parts of JPEG files that are decoded by an index, compared with the whole image.
@Suite(.timeLimit(.minutes(10))) struct JPEGRegionTests {
    private static let parts = 8

    private static func regions(_ data: Data) throws -> (any ImageRegions)? {
        try JPEGCodec().regions(of: EncodedFile(data))
    }

    /// A part of an image, anywhere in it.
    private static func area(in size: PixelSize, _ generator: inout SeededGenerator) -> PixelArea {
        let width = Int.random(in: 1...min(size.width, 300), using: &generator)
        let height = Int.random(in: 1...min(size.height, 300), using: &generator)
        return PixelArea(
            x: .random(in: 0...size.width - width, using: &generator),
            y: .random(in: 0...size.height - height, using: &generator),
            size: PixelSize(width: width, height: height))
    }

    private static func file(
        _ size: PixelSize, _ luminance: (Int32, Int32), _ components: Int, _ restartInterval: Int
    ) throws -> Data {
        var options = jpeg_writer_options()
        (options.width, options.height) = (UInt32(size.width), UInt32(size.height))
        options.components = Int32(components)
        options.horizontal = (luminance.0, 1, 1)
        options.vertical = (luminance.1, 1, 1)
        (options.quality, options.contrast, options.has_jfif) = (90, 20, true)
        options.restart_interval = UInt32(restartInterval)
        var count = 0
        let bytes = try #require(jpeg_writer_write(options, &count))
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    private static func crop(_ pixels: PixelBuffer, _ area: PixelArea) throws -> [UInt8] {
        try pixels.cropped(x: area.x, y: area.y, width: area.size.width, height: area.size.height).packedBytes
    }

    @Test("Parts of generated files have the pixels of the whole image", arguments: 0..<parts)
    func generated(part: Int) throws {
        var (compared, several) = (0, 0)
        for number in stride(from: part, to: 400, by: Self.parts) {
            guard let file = GeneratedJPEG.file(number), let regions = try Self.regions(file) else {
                continue
            }
            var generator = SeededGenerator(seed: UInt64(number))
            for level in 0...regions.deepestLevel {
                let whole = try #require(try regions.whole(level: level), "file \(number)")
                #expect(whole.size == regions.header.size.level(level))
                if level == 0, case .pixels(let expected) = try JPEGDecoders.libjpeg(file, 8) {
                    #expect(whole.packedBytes == expected, "file \(number)")
                }
                for _ in 0..<4 {
                    let area = Self.area(in: whole.size, &generator)
                    let found = try regions.part(area, level: level)
                    #expect(
                        try found.packedBytes == Self.crop(whole, area),
                        "file \(number), level \(level), \(area)")
                    compared += 1
                }
            }
            if regions.header.size.width > 600 { several += 1 }
        }
        // Some sampling factors must be decoded as a whole. Some images have several entries in a row.
        #expect(compared > 200 && several > 0)
    }

    @Test("Parts of wide images that have many entries in a row", arguments: [0, 1, 7, 300, 5_000])
    func wide(restartInterval: Int) throws {
        for (across, down, components) in [(1, 1, 3), (2, 1, 3), (2, 2, 3), (1, 2, 3), (1, 1, 1)] {
            let file = try Self.file(
                PixelSize(width: 4_003, height: 333), (Int32(across), Int32(down)), components,
                restartInterval)
            let regions = try #require(try Self.regions(file))
            let whole = try #require(try regions.whole(level: 0))
            for x in [0, 255, 256, 1_000, 2_047, 3_491] {
                let area = PixelArea(x: x, y: 100, size: PixelSize(width: 512, height: 233))
                let found = try regions.part(area, level: 0)
                #expect(try found.packedBytes == Self.crop(whole, area), "\(across)x\(down), \(x)")
            }
        }
    }

    @Test("Only files that the decoder for baseline files supports have parts")
    func unsupported() throws {
        for name in ["progressive", "cmyk", "arithmetic", "three-scans", "410", "1x1"] {
            let file = try Fixtures.data(named: "JPEG/\(name).jpg")
            #expect(try Self.regions(file) == nil, "\(name)")
        }
    }

    @Test("A truncated or malformed scan is left to the codec, and has no parts")
    func malformed() throws {
        let file = try Fixtures.data(named: "Photos/coffee.jpg")
        let truncated = try #require(try Self.regions(file.prefix(file.count * 2 / 3)))
        #expect(try truncated.whole(level: 3) == nil)
        let area = PixelArea(x: 0, y: 0, size: PixelSize(width: 8, height: 8))
        #expect(throws: ImageCodecError.self) { try truncated.part(area, level: 0) }
        let regions = try #require(try Self.regions(file))
        _ = try regions.whole(level: 3)
        for (x, y) in [(-1, 0), (0, -1), (regions.header.size.width - 7, 0), (0, regions.header.size.height)]
        {
            let outside = PixelArea(x: x, y: y, size: area.size)
            #expect(throws: ImageCodecError.self) { try regions.part(outside, level: 0) }
        }
    }

    /// As if another program wrote to a mapped file after its index was made.
    @Test("Data that change after the index was made give pixels or an error", arguments: [0, 5])
    func changed(restartInterval: Int) throws {
        let size = PixelSize(width: 500, height: 300)
        let original = [UInt8](try Self.file(size, (2, 2), 3, restartInterval))
        var (errors, generator) = (0, SeededGenerator(seed: 1))
        for _ in 0..<200 {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: original.count, alignment: 16)
            defer { bytes.deallocate() }
            bytes.copyBytes(from: original)
            guard let start = bytes.baseAddress else { continue }
            let data = Data(bytesNoCopy: start, count: bytes.count, deallocator: .none)
            let regions = try #require(try Self.regions(data))
            _ = try #require(try regions.whole(level: 3))
            let scan = try JPEGFrameHeader(scanning: EncodedFile(data).reader).firstScan + 16
            let length = Int.random(in: 1...400, using: &generator)
            let at = Int.random(in: scan..<max(scan + 1, bytes.count - length), using: &generator)
            let value = UInt8.random(in: 0...255, using: &generator)
            for index in at..<min(at + length, bytes.count) { bytes[index] = value }
            for y in stride(from: 0, to: size.height, by: 64) {
                let area = PixelArea(
                    x: 0, y: y, size: PixelSize(width: size.width, height: min(64, size.height - y)))
                do { _ = try regions.part(area, level: 0) } catch { errors += 1 }
            }
        }
        #expect(errors > 100)
    }
}
