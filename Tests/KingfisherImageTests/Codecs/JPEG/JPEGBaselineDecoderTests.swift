import CJPEG
import CKernels
import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

@Suite struct JPEGBaselineDecoderTests {
    private static let baseline = [
        "17x13", "1x1", "1x20", "420", "422", "440", "444", "8x8", "finer-chroma", "gray", "low-quality",
        "mixed",
        "orientation-1", "restart", "restart-blocks", "restart-mcus", "restart-mcus-gray",
    ]
    /// Files that libjpeg decodes and this decoder leaves to it.
    private static let others = [
        "410", "411", "441", "arithmetic", "cmyk", "gray-progressive", "progressive", "rgb", "thirds",
        "three-scans", "ycck",
    ]

    private static func file(_ name: String) throws -> Data { try Fixtures.data(named: "JPEG/\(name).jpg") }

    /// An image with detail everywhere, large enough for four streams.
    private static func photo(_ format: PixelFormat, quality: Double) throws -> Data {
        let size = PixelSize(width: 1_003, height: 709)
        var generator = SeededGenerator(seed: 7)
        var value = 128
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: format) {
            rows, bytesPerRow in
            let bytes = rows.bindMemory(to: UInt8.self)
            for index in 0..<bytesPerRow * size.height {
                value = min(max(value + Int.random(in: -24...24, using: &generator), 0), 255)
                bytes[index] = format == .rgba8Opaque && index % 4 == 3 ? 255 : UInt8(value)
            }
        }
        return try JPEGCodec().encode(pixels, options: ImageEncodingOptions(quality: quality))
    }

    /// What is left to libjpeg at full size.
    private static let tooNarrowOrCoarse = ["1x1", "1x20", "finer-chroma"]

    @Test(
        "Each sampling and restart interval gives libjpeg's pixels at an eighth and at full size",
        arguments: baseline, [1, 8])
    func pixels(name: String, eighths: Int) throws {
        let file = try Self.file(name)
        var expected = try JPEGDecoders.libjpeg(file, eighths)
        #expect(expected != .none)
        if eighths == 8, Self.tooNarrowOrCoarse.contains(name) { expected = .none }
        for way in JPEGDecoders.Way.all {
            #expect(try JPEGDecoders.own(file, eighths, way) == expected, "\(way)")
        }
    }

    private static let photos = Result {
        // Chroma has half the resolution below a quality of 0.9.
        try [0.85, 0.3, 0.95, 1].map { try photo(.rgba8Opaque, quality: $0) } + [photo(.gray8, quality: 0.9)]
    }

    @Test("Large images give libjpeg's pixels at an eighth and at full size", arguments: [1, 8])
    func largeImages(eighths: Int) throws {
        for data in try Self.photos.get() {
            #expect(data.count > JPEGBaselineDecoder.minimumScanBytes)
            let expected = try JPEGDecoders.libjpeg(data, eighths)
            #expect(expected != .none)
            for way in JPEGDecoders.Way.all {
                #expect(try JPEGDecoders.own(data, eighths, way) == expected, "\(way)")
            }
        }
    }

    @Test("Streams, sections and instructions make no difference", arguments: [2, 4])
    func ways(eighths: Int) throws {
        for data in try Self.baseline.map(Self.file) + Self.photos.get() {
            let expected = try JPEGDecoders.own(data, eighths)
            for way in JPEGDecoders.Way.all {
                #expect(try JPEGDecoders.own(data, eighths, way) == expected, "\(way)")
            }
        }
    }

    /// The cosines of the lowest `count` frequencies at as many places, times the square root of 8 / `count`.
    private static func cosines(_ count: Int, at places: Int) -> [[Double]] {
        (0..<count).map { frequency in
            (0..<places).map { place in
                let angle = Double((2 * place + 1) * frequency) * .pi / Double(2 * places)
                return (frequency == 0 ? 0.125.squareRoot() : 0.5) * cos(angle)
            }
        }
    }

    /// `eighths` squared samples for each block of `full`, by a forward transform of its 64 samples and an
    /// inverse one of the lowest frequencies.
    private static func lowFrequencies(of full: [UInt8], width: Int, eighths: Int) -> [[Double]] {
        let forward = cosines(8, at: 8), inverse = cosines(eighths, at: eighths)
        let columns = width / 8, rows = full.count / width / 8
        let row = [Double](repeating: 0, count: columns * eighths)
        var result = [[Double]](repeating: row, count: rows * eighths)
        for block in 0..<rows * columns {
            let (top, left) = (block / columns, block % columns)
            for v in 0..<eighths {
                for u in 0..<eighths {
                    var coefficient = 0.0
                    for y in 0..<8 {
                        for x in 0..<8 {
                            let sample = Double(full[(top * 8 + y) * width + left * 8 + x]) - 128
                            coefficient += sample * forward[v][y] * forward[u][x]
                        }
                    }
                    for y in 0..<eighths {
                        for x in 0..<eighths {
                            result[top * eighths + y][left * eighths + x] +=
                                coefficient * inverse[v][y] * inverse[u][x]
                        }
                    }
                }
            }
        }
        return result.map { $0.map { min(max($0 + 128, 0), 255) } }
    }

    @Test("A quarter and half of a grey image are its lowest frequencies", arguments: [2, 4])
    func lowFrequencies(eighths: Int) throws {
        let (width, height) = (240, 160)
        let pixels = try PixelBuffer(width: width, height: height, format: .gray8) { rows, bytesPerRow in
            let bytes = rows.bindMemory(to: UInt8.self)
            for y in 0..<height {
                for x in 0..<width {
                    let wave = sin(Double(x * x) / 900) * cos(Double(y * y) / 700)
                    bytes[y * bytesPerRow + x] = UInt8(128 + 100 * wave)
                }
            }
        }
        let file = try JPEGCodec().encode(pixels, options: ImageEncodingOptions(quality: 0.95))
        guard case .pixels(let full) = try JPEGDecoders.libjpeg(file, 8),
            case .pixels(let found) = try JPEGDecoders.own(file, eighths)
        else {
            Issue.record("the image is not decoded")
            return
        }
        let expected = Self.lowFrequencies(of: full, width: width, eighths: eighths).flatMap(\.self)
        #expect(found.count == expected.count)
        // The samples of the full image are rounded.
        #expect(zip(found, expected).allSatisfy { abs(Double($0) - $1) < 1.5 })
    }

    @Test("A quarter and half are close to libjpeg's", arguments: baseline, [2, 4])
    func closeness(name: String, eighths: Int) throws {
        let file = try Self.file(name)
        guard case .pixels(let expected) = try JPEGDecoders.libjpeg(file, eighths) else {
            Issue.record("libjpeg does not decode the image")
            return
        }
        guard case .pixels(let found) = try JPEGDecoders.own(file, eighths) else {
            #expect(name == "finer-chroma")
            return
        }
        let total = zip(found, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(total <= 5 * found.count)
    }

    @Test("Files of other kinds are left to libjpeg", arguments: others)
    func otherKinds(name: String) throws {
        #expect(try JPEGDecoders.own(Self.file(name)) == .none)
    }

    /// Calls `body` as in a release build, in which the codec uses this decoder.
    private static func optimized<Value>(_ body: () throws -> Value) rethrows -> Value {
        try JPEGBaselineDecoder.$isOptimized.withValue(true, operation: body)
    }

    @Test("The codec decodes a large file by this decoder, and a small one by libjpeg")
    func choice() throws {
        let large = try Self.photo(.rgba8Opaque, quality: 0.85)
        for eighths in [1, 2, 4, 8] { #expect(try JPEGDecoders.isUsed(large, eighths)) }
        let pixels = try Self.optimized {
            try JPEGCodec().decode(large, minimumSize: PixelSize(width: 100, height: 70))
        }
        #expect(try JPEGDecoders.libjpeg(large) == .pixels(Samples.premultiplied(pixels).map { UInt8($0) }))
        let full = try Self.optimized { try JPEGCodec().decode(large, minimumSize: nil) }
        #expect(try JPEGDecoders.libjpeg(large, 8) == .pixels(Samples.premultiplied(full).map { UInt8($0) }))
        #expect(try !JPEGDecoders.isUsed(Self.file("420"), 8))
    }

    /// Of an image of 1,003 x 709 pixels, one for each scale and one that is shrunk in boxes first.
    private static let targets = [
        (width: 30, height: 21), (width: 60, height: 42), (width: 120, height: 85), (width: 240, height: 170),
        (width: 900, height: 640), (width: 1_003, height: 400),
    ]

    @Test("A thumbnail that is filtered while it is decoded is that of the decoded image", arguments: targets)
    func filteredRows(width: Int, height: Int) throws {
        let target = PixelSize(width: width, height: height), codec = JPEGCodec()
        for data in try Self.photos.get() {
            let decoded = try Self.optimized { try codec.decode(data, minimumSize: target.doubled) }
            let expected = try Samples.premultiplied(decoded.resized(to: target))
            for hasThread in [false, true] {
                let context = DecodingContext(usesIdleCores: hasThread)
                let found = try context.run {
                    try Self.optimized { try codec.decode(data, shrunkTo: target) }
                }
                #expect(Samples.premultiplied(found) == expected)
            }
        }
    }

    @Test("An empty or too large target of a large file is an error")
    func impossibleTargets() throws {
        let data = try Self.photo(.rgba8Opaque, quality: 0.85)
        for (width, height) in [(0, 100), (100, 0), (0, 0)] {
            #expect(throws: ImageCodecError.tooLarge(width: width, height: height)) {
                try Self.optimized {
                    try JPEGCodec().decode(data, shrunkTo: PixelSize(width: width, height: height))
                }
            }
        }
        #expect(throws: ImageCodecError.self) {
            try Self.optimized {
                try JPEGCodec().decode(data, shrunkTo: PixelSize(width: 1 << 40, height: 10))
            }
        }
    }

    @Test("A large truncated file is no thumbnail, wherever it ends", arguments: targets)
    func truncatedThumbnail(width: Int, height: Int) throws {
        let target = PixelSize(width: width, height: height)
        let data = try Self.photo(.rgba8Opaque, quality: 0.85)
        #expect(throws: Never.self) {
            try Self.optimized { try JPEGCodec().decode(data, shrunkTo: target) }
        }
        for count in [data.count - 1, data.count - 40, data.count * 9 / 10, data.count / 2] {
            #expect(throws: ImageCodecError.truncated) {
                try Self.optimized { try JPEGCodec().decode(data.prefix(count), shrunkTo: target) }
            }
        }
    }

    @Test("Smooth images and noise are left to libjpeg where it takes less")
    func fasterElsewhere() throws {
        func file(noise: Int, quality: Double) throws -> Data {
            var generator = SeededGenerator(seed: 3)
            let pixels = try PixelBuffer(width: 1_600, height: 1_600, format: .gray8) { rows, bytesPerRow in
                for index in 0..<bytesPerRow * 1_600 {
                    let byte = 128 + Int.random(in: -noise...noise, using: &generator)
                    rows.storeBytes(of: UInt8(byte), toByteOffset: index, as: UInt8.self)
                }
            }
            return try JPEGCodec().encode(pixels, options: ImageEncodingOptions(quality: quality))
        }
        let smooth = try file(noise: 4, quality: 0.6), noise = try file(noise: 100, quality: 1)
        #expect(smooth.count < 40_000 * 3 / 2 + 1_000)
        for eighths in [4, 8] { #expect(try !JPEGDecoders.isUsed(smooth, eighths)) }
        #expect(try JPEGDecoders.isUsed(noise, 4) && !JPEGDecoders.isUsed(noise, 8))
    }

    @Test("More blocks in an MCU than the format allows are left to libjpeg")
    func tooManyBlocks() throws {
        var data = try Self.photo(.rgba8Opaque, quality: 0.85)
        let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
        for component in 0..<3 { data[frame.lowerBound + 11 + 3 * component] = 0x22 }
        #expect(try JPEGDecoders.own(data) == .none)
        #expect(try JPEGDecoders.libjpeg(data) == .none)
    }

    @Test("Each truncated file is left to libjpeg", arguments: ["420", "gray", "restart-mcus"])
    func truncation(name: String) throws {
        let data = try Self.file(name)
        for count in 0..<data.count { #expect(try JPEGDecoders.own(data.prefix(count)) == .none) }
    }
}
