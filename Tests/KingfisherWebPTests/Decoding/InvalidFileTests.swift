import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Files whose fields contradict their content are refused, or read within the limits.
@Suite(.serialized) struct InvalidFileTests {
    let codec: any ImageCodec = WebPCodec()

    enum Outcome: Equatable {
        case truncated, tooLarge, tooMuchMemory, refused
        /// The image is read, with or without the contradicting part.
        case image
        case frames(Int)
    }

    struct InvalidFile: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let outcome: Outcome
        let file: @Sendable () throws -> Data

        init(_ name: String, _ outcome: Outcome, _ file: @escaping @Sendable () throws -> Data) {
            (testDescription, self.outcome, self.file) = (name, outcome, file)
        }
    }

    private typealias Parts = WebPBytes

    private static func animated(
        canvas: (Int, Int) = (24, 18), flags: UInt8 = Parts.animationFlag | Parts.alphaFlag,
        _ frames: [Parts.Chunk]
    ) -> Data {
        Parts([Parts.vp8x(flags: flags, canvas.0, canvas.1), Parts.anim()] + frames).file
    }

    private static func still(_ name: String = "lossy-17x13") throws -> [Parts.Chunk] {
        try Parts(fixture: name).bitstream
    }

    /// A lossless header that declares `width` x `height`, followed by almost no data (RFC 9649, section
    /// 3.4).
    private static func lossless(_ width: Int, _ height: Int) -> [Parts.Chunk] {
        let head = Data([0x2F]) + Data(littleEndian: (width - 1) | (height - 1) << 14, 4)
        return [Parts.Chunk(name: "VP8L", payload: head + Data(count: 7))]
    }

    static let files: [InvalidFile] = [
        InvalidFile("RIFF size above the file size", .truncated) {
            try Fixtures.data(named: "WebP/lossy-17x13.webp").replacing(
                Data(littleEndian: 0x00FF_FFFE, 4), at: 4)
        },
        InvalidFile("RIFF size of 4 GB", .truncated) {
            try Fixtures.data(named: "WebP/lossy-17x13.webp").replacing(
                Data(littleEndian: 0xFFFF_FFFE, 4), at: 4)
        },
        InvalidFile("RIFF size of zero", .refused) {
            try Fixtures.data(named: "WebP/lossy-17x13.webp").replacing(Data(count: 4), at: 4)
        },
        InvalidFile("RIFF size that ends within the bitstream", .refused) {
            let file = try Fixtures.data(named: "WebP/lossy-17x13.webp")
            return file.replacing(Data(littleEndian: file.count - 40, 4), at: 4)
        },
        InvalidFile("odd RIFF size, one byte short", .refused) {
            let file = try Fixtures.data(named: "WebP/lossy-17x13.webp")
            return file.replacing(Data(littleEndian: file.count - 9, 4), at: 4)
        },
        InvalidFile("bytes after the RIFF chunk", .image) {
            try Fixtures.data(named: "WebP/lossy-17x13.webp") + Data(count: 1 << 16)
        },
        InvalidFile("only the RIFF header", .refused) { Parts([]).file },
        InvalidFile("canvas of 16383x16383 over 17x13", .refused) {
            Parts([Parts.vp8x(flags: 0, 16383, 16383)] + (try still())).file
        },
        InvalidFile("canvas of 2^24 x 1", .refused) {
            Parts([Parts.vp8x(flags: 0, 1 << 24, 1)] + (try still())).file
        },
        InvalidFile("canvas of 2^24 x 2^24", .refused) {
            Parts([Parts.vp8x(flags: 0, 1 << 24, 1 << 24)] + (try still())).file
        },
        InvalidFile("canvas other than the still's", .refused) {
            Parts([Parts.vp8x(flags: 0, 18, 13)] + (try still())).file
        },
        InvalidFile("animation of 16383x16383 with one small frame", .tooLarge) {
            animated(canvas: (16383, 16383), [Parts.frame(try still(), 17, 13)])
        },
        InvalidFile("animation of 9400x9600 with two small frames", .tooMuchMemory) {
            let frame = Parts.frame(try still(), 17, 13)
            return animated(canvas: (9400, 9600), [frame, frame])
        },
        InvalidFile("eight million empty chunks", .refused) {
            var chunks = Parts.Chunk(name: "JUNK", payload: Data()).bytes()
            while chunks.count < 64 << 20 { chunks += chunks }
            let head = [Parts.vp8x(flags: 0, 17, 13)] + (try still())
            return Parts.file(of: head.reduce(Data()) { $0 + $1.bytes() } + chunks)
        },
        InvalidFile("animation flag without frames", .refused) { animated([]) },
        InvalidFile("animation without ANIM", .refused) {
            Parts([Parts.vp8x(flags: Parts.animationFlag, 17, 13), Parts.frame(try still(), 17, 13)]).file
        },
        InvalidFile("still with two images", .refused) {
            Parts([Parts.vp8x(flags: 0, 17, 13)] + (try still() + still())).file
        },
        InvalidFile("animation flag over a still", .refused) {
            Parts([Parts.vp8x(flags: Parts.animationFlag, 17, 13)] + (try still())).file
        },
        InvalidFile("frames without the animation flag", .refused) {
            animated(flags: 0, [Parts.frame(try still(), 17, 13), Parts.frame(try still(), 17, 13)])
        },
        InvalidFile("frame right of the canvas", .refused) {
            animated([Parts.frame(try still(), at: (24, 0), 17, 13)])
        },
        InvalidFile("frame half outside the canvas", .refused) {
            animated([Parts.frame(try still(), at: (8, 0), 17, 13)])
        },
        InvalidFile("frame at the largest offset", .refused) {
            animated([Parts.frame(try still(), at: (0x1FF_FFFE, 0x1FF_FFFE), 17, 13)])
        },
        InvalidFile("frame of another size than its bitstream", .refused) {
            animated([Parts.frame(try still(), 16, 13)])
        },
        InvalidFile("frame of 2^24 pixels in a row", .refused) {
            animated([Parts.frame(try still(), 1 << 24, 13)])
        },
        InvalidFile("frame without a bitstream", .refused) { animated([Parts.frame([], 17, 13)]) },
        InvalidFile("frame truncated in its header", .refused) {
            animated([Parts.Chunk(name: "ANMF", payload: Data(count: 7))])
        },
        InvalidFile("frame with two bitstreams", .refused) {
            animated([Parts.frame(try still() + still(), 17, 13)])
        },
        InvalidFile("a frame's size of zero (VP8)", .refused) {
            var parts = try still()
            parts[0].payload.replaceSubrange(6..<10, with: Data(count: 4))
            return animated([Parts.frame(parts, 1, 1)])
        },
        InvalidFile("a still's size of zero (VP8)", .refused) {
            var parts = try still()
            parts[0].payload.replaceSubrange(6..<10, with: Data(count: 4))
            return Parts(parts).file
        },
        InvalidFile("as many frames as the limit", .frames(ImageLimits.maximumFrames)) {
            let frame = Parts.frame(try still("lossless-1x1"), 1, 1)
            return animated(canvas: (1, 1), Array(repeating: frame, count: ImageLimits.maximumFrames))
        },
        InvalidFile("a frame more than the limit", .refused) {
            let frame = Parts.frame(try still("lossless-1x1"), 1, 1)
            return animated(canvas: (1, 1), Array(repeating: frame, count: ImageLimits.maximumFrames + 1))
        },
        InvalidFile("colour profile of 20 MB", .refused) {
            let profile = Parts.Chunk(name: "ICCP", payload: Data(count: 20 << 20))
            return Parts([Parts.vp8x(flags: Parts.iccFlag, 17, 13), profile] + (try still())).file
        },
        InvalidFile("EXIF of 20 MB", .refused) {
            let exif = Parts.Chunk(name: "EXIF", payload: Data("II*\0".utf8) + Data(count: 20 << 20))
            return Parts([Parts.vp8x(flags: Parts.exifFlag, 17, 13)] + (try still()) + [exif]).file
        },
        InvalidFile("profile flag without a profile", .image) {
            Parts([Parts.vp8x(flags: Parts.iccFlag, 17, 13)] + (try still())).file
        },
        InvalidFile("alpha of noise", .refused) {
            let alpha = Parts.Chunk(name: "ALPH", payload: Data([0x01]) + Data(repeating: 0xA5, count: 50))
            return Parts([Parts.vp8x(flags: Parts.alphaFlag, 17, 13), alpha] + (try still())).file
        },
        InvalidFile("alpha of no bytes", .refused) {
            let alpha = Parts.Chunk(name: "ALPH", payload: Data())
            return Parts([Parts.vp8x(flags: Parts.alphaFlag, 17, 13), alpha] + (try still())).file
        },
        InvalidFile("alpha too short for its image, not compressed", .refused) {
            let alpha = Parts.Chunk(name: "ALPH", payload: Data(count: 17 * 13))
            return Parts([Parts.vp8x(flags: Parts.alphaFlag, 17, 13), alpha] + (try still())).file
        },
        InvalidFile("lossless of 16384x16384 in twelve bytes", .tooLarge) {
            Parts(lossless(16384, 16384)).file
        },
        InvalidFile("lossless of 10000x9999 in twelve bytes", .refused) {
            Parts(lossless(10_000, 9_999)).file
        },
        InvalidFile("one colour of 4000x4000 in thirty-two bytes, which is valid", .image) {
            let size = Data(littleEndian: 3999 | 3999 << 14, 4)
            return try Fixtures.data(named: "WebP/lossless-one-color-z9.webp").replacing(size, at: 21)
        },
        InvalidFile("lossless of 16384x6103 in a frame", .refused) {
            animated(canvas: (16384, 6103), [Parts.frame(lossless(16384, 6103), 16384, 6103)])
        },
        InvalidFile("lossy of 16383x6103 in a truncated bitstream", .refused) {
            var parts = try still()
            parts[0].payload.replaceSubrange(6..<10, with: Data(littleEndian: 16383 | 6103 << 16, 4))
            return Parts(parts).file
        },
    ]

    @Test(arguments: files) func invalidFilesAreRefusedOrReadWithinTheLimits(invalid: InvalidFile) throws {
        let file = try invalid.file()
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))  // Resets the peak.
        let resident = ProcessStatus.residentBytes
        let clock = ContinuousClock()
        let started = clock.now
        #expect(outcome(of: file) == invalid.outcome)
        #expect(clock.now - started < .seconds(5 * ProcessStatus.slowness))
        // Other suites hold little memory at the same time; an image of the declared size would take 400 MB.
        #expect(ProcessStatus.peakResidentBytes - resident < 200 << 20)
    }

    private func outcome(of file: Data) -> Outcome {
        do {
            let header = try codec.header(of: file)
            let pixels = try codec.decode(file, minimumSize: nil)
            #expect(pixels.size == header.displaySize)
            guard let source = try codec.frameSource(for: file) else { return .image }
            #expect(source.frameCount == header.frameCount)
            #expect(source.frame(at: source.frameCount - 1)?.size == header.displaySize)
            return .frames(source.frameCount)
        } catch .truncated {
            return .truncated
        } catch .tooLarge {
            return .tooLarge
        } catch .tooMuchMemory {
            return .tooMuchMemory
        } catch {
            return .refused
        }
    }
}
