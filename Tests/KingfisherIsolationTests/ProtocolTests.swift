import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import KingfisherIsolation

/// Messages and payloads, without processes.
@Suite("Isolation: protocol")
struct ProtocolTests {
    private func decoded<Value>(
        _ bytes: [UInt8], _ read: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Value
    ) -> Result<Value, ProtocolViolation> {
        bytes.withUnsafeBytes { bytes in Result { () throws(ProtocolViolation) in try read(bytes) } }
    }

    private func request(_ bytes: [UInt8]) -> Result<WorkerRequest, ProtocolViolation> {
        decoded(bytes) { bytes throws(ProtocolViolation) in try WorkerRequest(message: bytes) }
    }

    private func reply(_ bytes: [UInt8]) -> Result<WorkerReply, ProtocolViolation> {
        decoded(bytes) { bytes throws(ProtocolViolation) in try WorkerReply(message: bytes) }
    }

    private static let size = PixelSize(width: 300, height: 225)

    private static let operations: [KingfisherIsolation.Operation] = [
        .open, .memory(.full), .memory(.exactly(size)), .decode(.full), .decode(.atLeast(size)),
        .decode(.exactly(size)), .frames, .frame(7, maximumSize: nil),
        .frame(0, maximumSize: CGSize(width: 3.5, height: 4)), .metadata, .replaceMetadata(count: 12),
    ]

    private static let requests =
        operations.map { operation in
            WorkerRequest.perform(
                Job(
                    file: JobFile(
                        number: .max, count: 1 << 30, format: "JPEG", variant: -1, acceptsPartialImages: true,
                        limits: ImageLimits(maximumPixels: 5, maximumFrames: .max)),
                    operation: operation, output: OutputArea(offset: 4_096, count: 1 << 20)))
        } + [.deliver(OutputArea(offset: 0, count: 0)), .bytes(count: 0), .bytes(count: 1 << 18)]
        + [nil, size].map { size in
            .decodeFrame(
                VideoJob(
                    count: 1 << 40, seconds: -1.5, isKeyframe: size == nil, maximumSize: size,
                    limits: ImageLimits(), window: OutputArea(offset: 0, count: 1 << 18),
                    output: OutputArea(offset: 1 << 18, count: 5)))
        }

    private static let replies: [WorkerReply] =
        [
            .ready(DecoderReport(lockDown: [.files, .systemCalls], formats: ["JPEG", "PNG"])),
            .ready(DecoderReport(lockDown: [], formats: [], missing: "libavformat.so.59")),
            .number(.min), .bytes(count: 3), .needsRoom(count: .max), .needsBytes(offset: .max, count: 0),
            .pixels(
                PixelShape(
                    size: size, format: PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight),
                    extent: PixelExtent(width: 299.25, height: 225))),
        ]
        + [
            .unknownFormat, .truncated, .corrupt("no end"), .tooLarge(width: 1, height: -2), .tooManyFrames,
            .tooManyAnimationPixels, .tooMuchMemory, .outOfMemory, .tooMuchMetadata, .unsupported("CMYK"),
            .tooManyBytes(smallest: 1, limit: 2), .emptyImage,
        ].map(WorkerReply.failure)

    @Test("Requests are read as they were written")
    func requests() {
        for value in Self.requests { #expect(request(value.message) == .success(value)) }
    }

    @Test("Replies are read as they were written, within the size of a message")
    func replies() {
        for value in Self.replies {
            #expect(reply(value.message) == .success(value))
            #expect(value.message.count <= Message.maximumBytes)
        }
    }

    @Test("A decoder of another version is refused at its greeting")
    func versions() throws {
        let report = DecoderReport(lockDown: [.files], formats: ["JPEG"])
        #expect(try WorkerReply.ready(report).greeted() == report)
        let error = #expect(throws: DecoderFault.self) {
            try WorkerReply.ready(report, version: "0.0.1").greeted()
        }
        #expect(error == .unavailable("it has version 0.0.1, and the program has \(kingfisherVersion)"))
        #expect(throws: DecoderFault.self) { try WorkerReply.number(0).greeted() }
    }

    @Test("Truncated, extended and other versions of messages are violations")
    func damage() {
        for message in Self.requests.map(\.message) {
            for count in 0..<message.count {
                #expect(throws: ProtocolViolation.self) { try request(Array(message[..<count])).get() }
            }
            #expect(throws: ProtocolViolation.self) { try request(message + [0]).get() }
            #expect(throws: ProtocolViolation.self) { try request([1] + message.dropFirst()).get() }
        }
        for message in Self.replies.map(\.message) {
            for count in 0..<message.count {
                #expect(throws: ProtocolViolation.self) { try reply(Array(message[..<count])).get() }
            }
            #expect(throws: ProtocolViolation.self) { try reply(message + [0]).get() }
            #expect(throws: ProtocolViolation.self) { try reply([1] + message.dropFirst()).get() }
        }
    }

    @Test("Random bytes are violations or messages, never a trap")
    func noise() {
        var generator = SeededGenerator(seed: 71)
        var base = Self.requests.map(\.message) + Self.replies.map(\.message)
        for _ in 0..<20_000 {
            let index = Int.random(in: base.indices, using: &generator)
            var message = base[index]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                message[Int.random(in: message.indices, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { base[index] = message }
            _ = request(message)
            _ = reply(message)
            _ = decoded(message) { bytes throws(ProtocolViolation) in try ImageMetadataBlocks(payload: bytes)
            }
            _ = decoded(message) { bytes throws(ProtocolViolation) in
                try FileDescription(payload: bytes, limits: ImageLimits())
            }
        }
    }

    @Test("A text is short and has no control characters")
    func texts() {
        let long = String(repeating: "é", count: 4_000)
        guard case .success(.failure(.corrupt(let text))) = reply(WorkerReply.failure(.corrupt(long)).message)
        else {
            Issue.record("not read")
            return
        }
        #expect(text.utf8.count <= Message.maximumTextBytes + 2 && long.hasPrefix(String(text.prefix(500))))
        #expect(
            reply(WorkerReply.failure(.corrupt("a\n\u{1B}[31m")).message)
                == .success(.failure(.corrupt("a??[31m"))))
    }

    @Test("Shapes whose rows are not what they cover are violations")
    func shapes() {
        let (size, format) = (PixelSize(width: 4, height: 4), PixelFormat.gray8)
        for extent in [
            PixelExtent(width: 3, height: 4), PixelExtent(width: 4.1, height: 4),
            PixelExtent(width: .nan, height: 4),
            PixelExtent(width: 4, height: .infinity), PixelExtent(width: 4, height: -4),
        ] {
            let shape = PixelShape(size: size, format: format, extent: extent)
            #expect(throws: ProtocolViolation.self) { try reply(WorkerReply.pixels(shape).message).get() }
        }
        for size in [
            PixelSize(width: 0, height: 4), PixelSize(width: 4, height: -1),
            PixelSize(width: .max, height: .max),
        ] {
            let shape = PixelShape(size: size, format: format, extent: PixelExtent(size))
            #expect(throws: ProtocolViolation.self) { try reply(WorkerReply.pixels(shape).message).get() }
            #expect(shape.byteCount == .max || shape.byteCount <= 0)
        }
    }

    @Test("Headers are read as they were written")
    func headers() {
        var header = ImageHeader(size: Self.size)
        header.orientation = .leftMirrored
        (header.hasAlpha, header.bitsPerComponent, header.isLossless) = (true, 16, true)
        header.timing = AnimationTiming(durations: [0.1, 0, 2], loopCount: 3)
        header.scalableSize = PixelSize(width: 3_000, height: 2_250)
        let limits = ImageLimits(maximumFrames: 3)
        var file = FileDescription(header: header, endsEarly: true, memory: -1)
        func read(_ file: FileDescription, _ limits: ImageLimits) -> Result<
            FileDescription, ProtocolViolation
        > {
            decoded(file.payload) { bytes throws(ProtocolViolation) in
                try FileDescription(payload: bytes, limits: limits)
            }
        }
        #expect(read(file, limits) == .success(file))
        #expect(throws: ProtocolViolation.self) { try read(file, ImageLimits(maximumFrames: 2)).get() }
        file.header.timing?.durations[1] = .nan
        #expect(throws: ProtocolViolation.self) { try read(file, limits).get() }
        (file.header.timing, file.header.scalableSize) = (nil, PixelSize(width: 0, height: 1))
        #expect(throws: ProtocolViolation.self) { try read(file, limits).get() }
    }

    @Test("Descriptions of frames are read as they were written")
    func frames() {
        func read(_ frames: FramesDescription, fileCount: Int) -> Result<FramesDescription, ProtocolViolation>
        {
            decoded(frames.payload) { bytes throws(ProtocolViolation) in
                try FramesDescription(
                    payload: bytes, limits: ImageLimits(maximumFrames: 3), fileCount: fileCount)
            }
        }
        let frames = FramesDescription(loopCount: 0, durations: [0.5, 0.25], file: Data("abc".utf8))
        #expect(read(frames, fileCount: 3) == .success(frames))
        #expect(throws: ProtocolViolation.self) { try read(frames, fileCount: 2).get() }
        let none = FramesDescription(loopCount: 0, durations: [], file: nil)
        #expect(throws: ProtocolViolation.self) { try read(none, fileCount: 3).get() }
    }

    @Test("Metadata of at most a number of bytes are read as they were written")
    func metadata() {
        func read(_ blocks: ImageMetadataBlocks) -> Result<ImageMetadataBlocks, ProtocolViolation> {
            decoded(blocks.payload) { bytes throws(ProtocolViolation) in
                try ImageMetadataBlocks(payload: bytes)
            }
        }
        var blocks = ImageMetadataBlocks()
        (blocks.exif, blocks.iptc, blocks.channels) = (Data([1, 2]), Data(), 4)
        blocks.codePoints = ImageMetadata.CodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        blocks.density = ImageMetadata.PixelDensity(x: 72, y: 96.5)
        (blocks.hasGainMap, blocks.isComplete) = (true, false)
        #expect(read(blocks) == .success(blocks))
        blocks.xmp = Data(count: ImageMetadataBlocks.maximumBytes)
        #expect(throws: ProtocolViolation.self) { try read(blocks).get() }
    }
}
