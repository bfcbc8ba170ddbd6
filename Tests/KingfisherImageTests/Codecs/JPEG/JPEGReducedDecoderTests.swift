import CJPEG
import CKernels
import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// libjpeg decodes at these scales, too: it says which verdict is right, and at 1/8 which pixels.
@Suite struct JPEGReducedDecoderTests {
    private enum Outcome: Equatable {
        case pixels([UInt8])
        /// Not decoded, or refused.
        case none
    }

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

    /// How the decoder works, which makes no difference to pixels.
    private struct Way: CustomStringConvertible {
        var streams = 4
        var sectionBytes = JPEGReducedDecoder.sectionBytes
        var level = KernelLevel.current
        var hasThread = false

        var description: String {
            "\(streams) streams, \(sectionBytes) bytes, \(level), \(hasThread ? "two threads" : "one thread")"
        }

        static let all = KernelLevel.supported.flatMap { level in
            [1, 4].flatMap { streams in
                [Int(KF_JPEG_MINIMUM_SECTION), 40_000, 1 << 20].map {
                    // Threads and levels have no influence on each other.
                    Way(streams: streams, sectionBytes: $0, level: level, hasThread: level == .scalar)
                }
            }
        }
    }

    private static func decoded(_ data: Data, _ eighths: Int = 1, _ way: Way = Way()) throws -> Outcome {
        try outcome(data, eighths) { reader, frame, image in
            guard
                var decoder = JPEGReducedDecoder(
                    reader, frame: frame, scale: JPEGScale(eighths: eighths), minimumScanBytes: 0)
            else { return false }
            decoder.streams = way.streams
            decoder.sectionBytes = way.sectionBytes
            decoder.hasThread = way.hasThread
            return KernelLevel.$current.withValue(way.level) { decoder.decode(to: image) }
        }
    }

    private static func libjpeg(_ data: Data, _ eighths: Int = 1) throws -> Outcome {
        try outcome(data, eighths) { reader, frame, image in
            let samples = frame.components == 1 ? KF_JPEG_GRAY : KF_JPEG_RGBA
            let target = kf_jpeg_image(
                rows: image.rows, bytes_per_row: image.bytes_per_row, width: image.width,
                height: image.height, samples: samples)
            let limits = kf_jpeg_limits(memory: 1 << 28, scans: 50, accepts_part: false)
            var message = [CChar](repeating: 0, count: Int(KF_JPEG_MESSAGE_LENGTH))
            return kf_jpeg_decode(
                reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count, Int32(eighths), limits,
                target, &message) == KF_JPEG_OK
        }
    }

    private static func outcome(
        _ data: Data, _ eighths: Int, by decode: (ByteReader, JPEGFrameHeader, kf_jpeg_reduced) -> Bool
    ) throws -> Outcome {
        try data.reading { reader throws(ImageCodecError) in
            guard let frame = try? JPEGFrameHeader(scanning: reader), [1, 3].contains(frame.components),
                frame.size.area <= 4_000_000
            else { return .none }
            let size = JPEGScale(eighths: eighths).applied(to: frame.size)
            let bytesPerRow = size.width * (frame.components == 1 ? 1 : 4)
            var rows = [UInt8](repeating: 0, count: bytesPerRow * size.height)
            let isDecoded = rows.withUnsafeMutableBufferPointer { rows in
                guard let start = rows.baseAddress else { return false }
                let image = kf_jpeg_reduced(
                    rows: start, bytes_per_row: bytesPerRow, width: UInt32(size.width),
                    height: UInt32(size.height))
                return decode(reader, frame, image)
            }
            return isDecoded ? .pixels(rows) : .none
        }
    }

    @Test("Each sampling and restart interval gives libjpeg's pixels at an eighth", arguments: baseline)
    func pixels(name: String) throws {
        let file = try Self.file(name), expected = try Self.libjpeg(file)
        #expect(expected != .none)
        for way in Way.all { #expect(try Self.decoded(file, 1, way) == expected, "\(way)") }
    }

    private static let photos = Result {
        // Chroma has half the resolution below a quality of 0.9.
        try [0.85, 0.3, 0.95, 1].map { try photo(.rgba8Opaque, quality: $0) } + [photo(.gray8, quality: 0.9)]
    }

    @Test("Large images give libjpeg's pixels at an eighth")
    func largeImages() throws {
        for data in try Self.photos.get() {
            #expect(data.count > JPEGReducedDecoder.minimumScanBytes)
            let expected = try Self.libjpeg(data)
            #expect(expected != .none)
            for way in Way.all { #expect(try Self.decoded(data, 1, way) == expected, "\(way)") }
        }
    }

    @Test("Streams, sections and instructions make no difference", arguments: [2, 4])
    func ways(eighths: Int) throws {
        for data in try Self.baseline.map(Self.file) + Self.photos.get() {
            // libjpeg decodes half of smooth images.
            let expected = try Self.decoded(data, eighths)
            for way in Way.all { #expect(try Self.decoded(data, eighths, way) == expected, "\(way)") }
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
        guard case .pixels(let full) = try Self.libjpeg(file, 8),
            case .pixels(let found) = try Self.decoded(file, eighths)
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
        guard case .pixels(let expected) = try Self.libjpeg(file, eighths) else {
            Issue.record("libjpeg does not decode the image")
            return
        }
        guard case .pixels(let found) = try Self.decoded(file, eighths) else {
            #expect(name == "finer-chroma")
            return
        }
        let total = zip(found, expected).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(total <= 5 * found.count)
    }

    @Test("Files of other kinds are left to libjpeg", arguments: others)
    func otherKinds(name: String) throws {
        #expect(try Self.decoded(Self.file(name)) == .none)
    }

    @Test("The codec decodes a large file by this decoder, and a small one by libjpeg")
    func choice() throws {
        let large = try Self.photo(.rgba8Opaque, quality: 0.85)
        let isUsed = try large.reading { reader throws(ImageCodecError) in
            JPEGReducedDecoder(
                reader, frame: try JPEGFrameHeader(scanning: reader), scale: JPEGScale(eighths: 1)) != nil
        }
        #expect(isUsed)
        let pixels = try JPEGCodec().decode(large, minimumSize: PixelSize(width: 100, height: 70))
        #expect(try Self.libjpeg(large) == .pixels(Samples.premultiplied(pixels).map { UInt8($0) }))
        let small = try Self.file("420")
        let isLeft = try small.reading { reader throws(ImageCodecError) in
            JPEGReducedDecoder(
                reader, frame: try JPEGFrameHeader(scanning: reader), scale: JPEGScale(eighths: 1)) == nil
        }
        #expect(isLeft)
    }

    @Test("More blocks in an MCU than the format allows are left to libjpeg")
    func tooManyBlocks() throws {
        var data = try Self.photo(.rgba8Opaque, quality: 0.85)
        let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
        for component in 0..<3 { data[frame.lowerBound + 11 + 3 * component] = 0x22 }
        #expect(try Self.decoded(data) == .none)
        #expect(try Self.libjpeg(data) == .none)
    }

    @Test("Each truncated file is left to libjpeg", arguments: ["420", "gray", "restart-mcus"])
    func truncation(name: String) throws {
        let data = try Self.file(name)
        for count in 0..<data.count { #expect(try Self.decoded(data.prefix(count)) == .none) }
    }

    @Test("What corrupt files give is what libjpeg gives, by one and by four streams", arguments: 0..<4)
    func corruption(part: Int) throws {
        let files = [
            try Self.photo(.rgba8Opaque, quality: 0.85), try Self.photo(.gray8, quality: 0.9),
            try Self.file("restart-mcus"),
            try Self.file("422"),
        ]
        var generator = SeededGenerator(seed: UInt64(part))
        var (accepted, refused) = (0, 0)
        for round in 0..<(ProcessFacts.isSanitized ? 100 : 400) {
            let data = Self.corrupt(files[round % files.count], &generator)
            let eighths = [1, 2, 4][round / files.count % 3]
            let one = try Self.decoded(data, eighths, Way(streams: 1))
            #expect(try Self.decoded(data, eighths, Way(sectionBytes: 20_000, hasThread: round % 2 == 0)) == one)
            if one == .none {
                refused += 1
            } else {
                accepted += 1
                let expected = try Self.libjpeg(data, eighths)
                #expect(eighths == 1 ? expected == one : expected != .none)
            }
        }
        #expect(accepted > 10 && refused > 10)
    }

    private static func corrupt(_ data: Data, _ generator: inout SeededGenerator) -> Data {
        var bytes = [UInt8](data)
        let place = Int.random(in: 2..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = .random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(.random(in: 0...255, using: &generator), at: place)
        default:
            bytes.replaceSubrange(place..<place, with: [0xFF, .random(in: 0xD0...0xD9, using: &generator)])
        }
        return Data(bytes)
    }
}
