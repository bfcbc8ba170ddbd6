import CJPEG
import CKernels
import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// libjpeg decodes at 1/8, too, so it says which pixels and which verdict are right.
@Suite struct JPEGEighthTests {
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

    private static func eighth(_ data: Data, streams: Int) throws -> Outcome {
        try outcome(data) { reader, frame, image in
            guard var eighth = JPEGEighth(reader, frame: frame, minimumScanBytes: 0) else { return false }
            eighth.streams = streams
            return eighth.decode(to: image)
        }
    }

    private static func libjpeg(_ data: Data) throws -> Outcome {
        try outcome(data) { reader, frame, image in
            let samples = frame.components == 1 ? KF_JPEG_GRAY : KF_JPEG_RGBA
            let target = kf_jpeg_image(
                rows: image.rows, bytes_per_row: image.bytes_per_row, width: image.width,
                height: image.height,
                samples: samples)
            let limits = kf_jpeg_limits(memory: 1 << 28, scans: 50, accepts_part: false)
            var message = [CChar](repeating: 0, count: Int(KF_JPEG_MESSAGE_LENGTH))
            return kf_jpeg_decode(
                reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count, 1, limits, target, &message
            )
                == KF_JPEG_OK
        }
    }

    private static func outcome(
        _ data: Data, by decode: (ByteReader, JPEGFrameHeader, kf_jpeg_eighth) -> Bool
    ) throws -> Outcome {
        try data.reading { reader throws(ImageCodecError) in
            guard let frame = try? JPEGFrameHeader(scanning: reader), [1, 3].contains(frame.components),
                frame.size.area <= 4_000_000
            else { return .none }
            let size = JPEGScale.eighth.applied(to: frame.size)
            let bytesPerRow = size.width * (frame.components == 1 ? 1 : 4)
            var rows = [UInt8](repeating: 0, count: bytesPerRow * size.height)
            let isDecoded = rows.withUnsafeMutableBufferPointer { rows in
                guard let start = rows.baseAddress else { return false }
                let image = kf_jpeg_eighth(
                    rows: start, bytes_per_row: bytesPerRow, width: UInt32(size.width),
                    height: UInt32(size.height))
                return decode(reader, frame, image)
            }
            return isDecoded ? .pixels(rows) : .none
        }
    }

    @Test("Each sampling and restart interval gives libjpeg's pixels", arguments: baseline, [1, 4])
    func pixels(name: String, streams: Int) throws {
        let expected = try Self.libjpeg(Self.file(name))
        #expect(expected != .none)
        for level in KernelLevel.supported {
            let found = try KernelLevel.$current.withValue(level) {
                try Self.eighth(Self.file(name), streams: streams)
            }
            #expect(found == expected)
        }
    }

    @Test("Large images give libjpeg's pixels by one and by four streams", arguments: [1, 4])
    func largeImages(streams: Int) throws {
        for data in [
            // Chroma has half the resolution below a quality of 0.9.
            try Self.photo(.rgba8Opaque, quality: 0.85), try Self.photo(.rgba8Opaque, quality: 0.3),
            try Self.photo(.rgba8Opaque, quality: 0.95), try Self.photo(.rgba8Opaque, quality: 1),
            try Self.photo(.gray8, quality: 0.9),
        ] {
            #expect(data.count > JPEGEighth.minimumScanBytes)
            let expected = try Self.libjpeg(data)
            #expect(expected != .none)
            #expect(try Self.eighth(data, streams: streams) == expected)
        }
    }

    @Test("Files of other kinds are left to libjpeg", arguments: others)
    func otherKinds(name: String) throws {
        #expect(try Self.eighth(Self.file(name), streams: 4) == .none)
    }

    @Test("The codec decodes a large file by this decoder, and a small one by libjpeg")
    func choice() throws {
        let large = try Self.photo(.rgba8Opaque, quality: 0.85)
        let isUsed = try large.reading { reader throws(ImageCodecError) in
            JPEGEighth(reader, frame: try JPEGFrameHeader(scanning: reader)) != nil
        }
        #expect(isUsed)
        let pixels = try JPEGCodec().decode(large, minimumSize: PixelSize(width: 100, height: 70))
        #expect(try Self.libjpeg(large) == .pixels(Samples.premultiplied(pixels).map { UInt8($0) }))
        let small = try Self.file("420")
        let isLeft = try small.reading { reader throws(ImageCodecError) in
            JPEGEighth(reader, frame: try JPEGFrameHeader(scanning: reader)) == nil
        }
        #expect(isLeft)
    }

    @Test("More blocks in an MCU than the format allows are left to libjpeg")
    func tooManyBlocks() throws {
        var data = try Self.photo(.rgba8Opaque, quality: 0.85)
        let frame = try #require(data.firstRange(of: Data([0xFF, 0xC0])))
        for component in 0..<3 { data[frame.lowerBound + 11 + 3 * component] = 0x22 }
        #expect(try Self.eighth(data, streams: 4) == .none)
        #expect(try Self.libjpeg(data) == .none)
    }

    @Test("Each truncated file is left to libjpeg", arguments: ["420", "gray", "restart-mcus"])
    func truncation(name: String) throws {
        let data = try Self.file(name)
        for count in 0..<data.count { #expect(try Self.eighth(data.prefix(count), streams: 4) == .none) }
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
            let one = try Self.eighth(data, streams: 1)
            #expect(try Self.eighth(data, streams: 4) == one)
            if one == .none {
                refused += 1
            } else {
                accepted += 1
                #expect(try Self.libjpeg(data) == one)
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
