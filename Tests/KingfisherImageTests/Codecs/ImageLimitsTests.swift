import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Each limit, lowered to what a file needs and to one less, in each format.
@Suite struct ImageLimitsTests {
    struct Sample: CustomTestStringConvertible {
        let format: String
        let fixture: String
        /// Inserts a comment of the given number of bytes into a file.
        let commented: @Sendable (Data, Int) -> Data

        var testDescription: String { format }
        var file: Data { get throws { try Fixtures.data(named: fixture) } }

        init(_ format: String, _ fixture: String, _ commented: @escaping @Sendable (Data, Int) -> Data) {
            (self.format, self.fixture, self.commented) = (format, fixture, commented)
        }
    }

    static let png: @Sendable (Data, Int) -> Data = { file, count in
        var list = ChunkList(file)
        list.chunks.insert(.init(type: "tEXt", data: Array(repeating: 65, count: count)), at: 1)
        return list.file
    }

    static let samples = [
        Sample("JPEG", "JPEG/420.jpg") { file, count in
            let length = [UInt8((count + 2) >> 8), UInt8((count + 2) & 255)]
            return file.prefix(2) + [0xFF, 0xFE] + length + Data(count: count) + file.dropFirst(2)
        },
        Sample("PNG", "PNG/rgb8.png", png), Sample("APNG", "APNG/mixed.apng", png),
        Sample("GIF", "GIF/disposal-mixed.gif") { file, count in
            // Sub-blocks of 100 bytes, including the length byte.
            let blocks = (0..<count / 100).map { _ in Data([99]) + Data(count: 99) }
            return file.dropLast() + [0x21, 0xFE] + blocks.joined() + [0, 0x3B]
        },
    ]

    private func refusal(of file: Data, _ lower: (inout ImageLimits) -> Void) -> ImageCodecError? {
        var limits = ImageLimits()
        lower(&limits)
        return DecodingContext(limits: limits).run {
            do throws(ImageCodecError) {
                let image = try Image.decode(file)
                for index in 0..<(image.kf.frameSource?.frameCount ?? 0) {
                    #expect(image.kf.frameSource?.frame(at: index) != nil)
                }
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("Pixels above the limit are refused", arguments: samples)
    func pixels(sample: Sample) throws {
        let file = try sample.file
        let size = try ImageCodecs.open(file).header.size
        #expect(refusal(of: file) { $0.maximumPixels = size.area } == nil)
        #expect(
            refusal(of: file) { $0.maximumPixels = size.area - 1 }
                == .tooLarge(width: size.width, height: size.height))
        let codec = try #require(ImageCodecs.codec(for: file))
        var limits = ImageLimits()
        limits.maximumPixels = size.area - 1
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooLarge(width: size.width, height: size.height)) {
                try codec.header(of: file)
            }
        }
    }

    @Test("Bytes above the limit are refused, of an image and of the four canvases of an animation")
    func bytes() throws {
        for sample in Self.samples {
            let file = try sample.file
            let image = try Image.decode(file)
            let rows = try #require(image.pixels).byteCount
            let count = try ImageCodecs.open(file).header.frameCount
            let canvases = count > 1 ? 4 : 1
            // The memory of libjpeg and the row buffers of a PNG count against the same limit.
            let least = ["JPEG", "PNG"].contains(sample.format) ? 1 << 20 : rows * canvases
            #expect(refusal(of: file) { $0.maximumFrameBytes = least } == nil, "\(sample.format)")
            #expect(
                refusal(of: file) { $0.maximumFrameBytes = rows * canvases - 1 } == .tooMuchMemory,
                "\(sample.format)")
        }
    }

    @Test("The memory of libjpeg counts in addition to the image")
    func decoderMemory() throws {
        // At half size the image takes 256 KiB; the coefficients of its scans take three times that.
        let file = try Fixtures.data(named: "Progressive/photo.jpg")
        let half = PixelSize(width: 256, height: 256)
        var limits = ImageLimits()
        limits.maximumFrameBytes = 300_000
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooMuchMemory) {
                try JPEGCodec().decode(file, minimumSize: half)
            }
        }
        #expect(try JPEGCodec().decode(file, minimumSize: half).byteCount < 300_000)
    }

    @Test("Row buffers and the memory of libjpeg share one limit")
    func rowsAndDecoderMemory() throws {
        // Two-byte coefficients: one luma coefficient for each pixel, and half as many for both chromas
        // together.
        let file = try Fixtures.data(named: "Progressive/photo.jpg")
        let (rows, coefficients) = (512 * 512 * 4, 512 * 512 * 3)
        for (limit, isEnough) in [
            (rows, false), (rows + coefficients / 2, false), (rows + coefficients - 1, false),
            (rows + coefficients, true),
        ] {
            #expect(refusal(of: file) { $0.maximumFrameBytes = limit } == (isEnough ? nil : .tooMuchMemory))
        }
    }

    /// A PNG of one row, decoded by the fast path (8 bits) or by libspng (16), which allocates the same
    /// again.
    @Test("The row buffers of a PNG count", arguments: [(8, 8), (16, 12)])
    func rowsOfPNG(depth: UInt8, bytesOfPixel: Int) {
        let width = 1_000_000
        var list = ChunkList(Data())
        list.chunks = [
            .init(type: "IHDR", data: ChunkList.bytes(UInt32(width)) + [0, 0, 0, 1, depth, 6, 0, 0, 0]),
            .init(type: "IDAT", data: [0x78, 0x01]), .init(type: "IEND", data: []),
        ]
        let image = width * (depth == 8 ? 4 : 8)
        #expect(refusal(of: list.file) { $0.maximumFrameBytes = image + 1_000 } == .tooMuchMemory)
        #expect(
            refusal(of: list.file) { $0.maximumFrameBytes = image + width * bytesOfPixel } == .tooMuchMemory
        )
        #expect(refusal(of: list.file) { $0.maximumFrameBytes = image * 4 + 1_000 } == .truncated)
    }

    @Test("Metadata of a truncated file count")
    func metadataOfAPart() throws {
        var list = ChunkList(try Fixtures.data(named: "PNG/rgb8.png"))
        list.chunks.insert(
            .init(type: "tEXt", data: Array(repeating: 65, count: 5_000)), at: list.chunks.count - 1)
        let file = list.file
        let start = try #require(file.offset(of: Array("tEXt".utf8)))
        func refusal(of file: Data, limit: Int) -> ImageCodecError? {
            var limits = ImageLimits()
            limits.maximumMetadataBytes = limit
            return DecodingContext(limits: limits).run {
                do throws(ImageCodecError) {
                    _ = try PNGCodec().decode(file, minimumSize: nil, acceptsPartialImages: true)
                    return nil
                } catch {
                    return error
                }
            }
        }
        #expect(refusal(of: file.dropLast(), limit: 10_000) == nil)
        #expect(refusal(of: file.dropLast(), limit: 4_999) == .tooMuchMetadata)
        // Truncated within the text, after 4,999 bytes of it.
        let text = file.prefix(start + 4 + 4_999)
        #expect(refusal(of: text, limit: 10_000) == nil)
        #expect(refusal(of: text, limit: 4_998) == .tooMuchMetadata)
    }

    @Test("Frames above the limit are refused")
    func frames() throws {
        let animations = Self.samples.filter { ["APNG", "GIF"].contains($0.format) }
        for sample in animations {
            let file = try sample.file
            let count = try ImageCodecs.open(file).header.frameCount
            #expect(count > 1 && refusal(of: file) { $0.maximumFrames = count } == nil, "\(sample.format)")
            #expect(refusal(of: file) { $0.maximumFrames = count - 1 } == .tooManyFrames, "\(sample.format)")
        }
        #expect(animations.count == 2)
    }

    @Test("Metadata above the limit are refused at any place in the file", arguments: samples)
    func metadata(sample: Sample) throws {
        let plain = try sample.file
        let most = try #require(
            (0...4096).first { limit in refusal(of: plain) { $0.maximumMetadataBytes = limit } == nil })
        let file = sample.commented(plain, 5_000)
        // The sub-blocks of a GIF end with a zero.
        let exact = most + 5_000 + (sample.format == "GIF" ? 1 : 0)
        #expect(refusal(of: file) { $0.maximumMetadataBytes = exact } == nil)
        #expect(refusal(of: file) { $0.maximumMetadataBytes = exact - 1 } == .tooMuchMetadata)
    }

    @Test("Text that expands beyond the limit is refused, regardless of its packed size")
    func expandedMetadata() throws {
        var list = ChunkList(try Fixtures.data(named: "PNG/rgb8.png"))
        // The DEFLATE stream of gzip between zlib's header and checksum; the checksum of zeros is 1 and their
        // number.
        let adler = ChunkList.bytes(UInt32((1 << 20) % 65_521) << 16 | 1)
        let packed = [0x78, 0x9C] + Array(Gzip.zeros(1 << 20).dropFirst(10).dropLast(8)) + adler
        list.chunks.insert(.init(type: "zTXt", data: [65, 0, 0] + packed), at: 1)
        #expect(refusal(of: list.file) { _ in } == nil)
        #expect(packed.count < 5_000)
        #expect(refusal(of: list.file) { $0.maximumMetadataBytes = 100_000 } == .tooMuchMetadata)
    }

    @Test("Drawing respects the limits of pixels")
    func drawing() throws {
        let dot = try PixelBuffer(width: 1, height: 1, format: .gray8, zeroed: true) { _, _ in }
        var limits = ImageLimits()
        limits.maximumPixels = 99
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooLarge(width: 10, height: 10)) {
                try dot.resized(to: PixelSize(width: 10, height: 10))
            }
        }
    }

    @Test("Animations with more frames than the limit are not encoded")
    func writing() throws {
        let image = try Image.decode(try Self.samples[3].file)
        let frames = try #require(image.kf.frameSource)
        var limits = ImageLimits()
        limits.maximumFrames = frames.frameCount - 1
        for codec in [GIFCodec(), APNGCodec()] as [any ImageCodec] {
            DecodingContext(limits: limits).run {
                #expect(throws: ImageCodecError.tooManyFrames) {
                    try codec.encode(frames, options: ImageEncodingOptions())
                }
            }
        }
    }

    @Test("The limits of the process have safe defaults, can be set, and are never below zero")
    func process() async {
        await #expect(processExitsWith: .success) {
            precondition(ImageLimits.maximumPixels == 100_000_000 && ImageLimits.maximumFrames == 10_000)
            precondition(ImageLimits.maximumFrameBytes == 1 << 30)
            precondition(ImageLimits.maximumMetadataBytes == 16 << 20)
            precondition(ImageLimits.maximumAnimationPixels == 2_500_000_000)
            ImageLimits.maximumPixels = 15
            ImageLimits.maximumFrames = -1
            precondition(ImageLimits.maximumPixels == 15 && ImageLimits.maximumFrames == 0)
            do throws(ImageCodecError) {
                try ImageLimits.current.check(PixelSize(width: 4, height: 4))
                preconditionFailure("16 pixels passed")
            } catch {
                precondition(error == .tooLarge(width: 4, height: 4))
            }
        }
    }
}
