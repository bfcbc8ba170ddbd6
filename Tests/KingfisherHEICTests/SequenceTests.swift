import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import KingfisherTestSupport
import TestHelpers
import Testing

/// The fixtures are made by `heic_sequence.py`; references are what FFmpeg decodes of the same bitstream.
private enum Sequences {
    static func file(_ name: String) throws -> Data { try Fixtures.data(named: "HEIC/\(name)") }

    static func source(_ file: Data) throws -> any ImageFrameSource {
        try #require(try HEICCodec().frameSource(for: file))
    }

    static func frame(_ number: Int, of source: any ImageFrameSource) throws -> PixelGrid {
        try PixelGrid(#require(source.frame(at: number, maxSize: nil)))
    }

    static func reference(_ name: String) throws -> PixelGrid {
        try PixelGrid(TestTools.png.decode(file("\(name).png"), minimumSize: nil))
    }

    static let identity: [Int32] = [1, 0, 0, 1]

    /// `tkhd` with another matrix.
    static func turned(_ file: Data, _ matrix: [Int32]) throws -> Data {
        let fields = [matrix[0] << 16, matrix[1] << 16, 0, matrix[2] << 16, matrix[3] << 16]
        return try file.replacing(
            "tkhd", at: 40, with: fields.flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } })
    }
}

@Suite("HEIC: sequences")
struct SequenceTests {
    @Test("Frames are shown in their order, for their time, as often as the repeated edit says")
    func timing() throws {
        let header = try HEICCodec().header(of: Sequences.file("sequence.heics"))
        #expect(header.size == PixelSize(width: 96, height: 64))
        let timing = try #require(header.timing)
        #expect(timing.loopCount == 3 && timing.durations.count == 20)
        #expect(zip(timing.durations, 1..<20).allSatisfy { abs($0 - Double($1) * 0.04) < 1e-9 })
        #expect(try HEICCodec().header(of: Sequences.file("both.heics")).timing?.loopCount == 0)
        let untimed = try Sequences.file("sequence.heics").replacing("mdhd", at: 12, with: [0, 0, 0, 0])
        #expect(try HEICCodec().header(of: untimed).timing?.durations == Array(repeating: 0.1, count: 20))
    }

    @Test(
        "Frames equal FFmpeg's in any order, also those that only an earlier group can decode",
        arguments: [[0, 6, 7, 8, 13, 19], [19, 7, 0, 13, 8, 6], [7], [7, 8, 7], [13, 6]])
    func order(_ numbers: [Int]) throws {
        let source = try Sequences.source(Sequences.file("sequence.heics"))
        for number in numbers {
            let decibels = try Sequences.frame(number, of: source)
                .decibels(to: Sequences.reference("sequence-\(number)"))
            #expect(decibels > 40, "frame \(number): \(decibels) dB")
        }
        #expect(source.frame(at: 20, maxSize: nil) == nil)
    }

    @Test("A smaller frame shows the same, and the first one is decoded as a still")
    func small() throws {
        let file = try Sequences.file("sequence.heics")
        let source = try Sequences.source(file)
        let size = PixelSize(width: 48, height: 32)
        let png = try TestTools.png.decode(Sequences.file("sequence-8.png"), minimumSize: nil)
        let small = try #require(source.copy().frame(at: 8, maxSize: CGSize(width: 48, height: 32)))
        #expect(small.size == size)
        let decibels = try PixelGrid(small).decibels(to: PixelGrid(png.resized(to: size)))
        // The planes are shrunk before they become RGB, which differs at the edges of saturated colours.
        #expect(decibels > 28, "\(decibels) dB")
        #expect(try PixelGrid(decode(file)) == Sequences.frame(0, of: source))
    }

    @Test("The main brand decides between the still and the sequence of a file")
    func brands() throws {
        let still = try Sequences.file("still.heic")
        #expect(try HEICCodec().header(of: still).frameCount == 1)
        #expect(try HEICCodec().frameSource(for: still) == nil)
        let decibels = try PixelGrid(decode(still)).decibels(to: Sequences.reference("sequence-0"))
        // libheif does not interpolate chroma.
        #expect(decibels > 25, "\(decibels) dB")
        #expect(try HEICCodec().header(of: Sequences.file("both.heics")).frameCount == 20)
        let other = try Sequences.file("sequence.heics").replacing("ftyp", at: 0, with: Array("mif1".utf8))
        #expect(try HEICCodec().header(of: other).frameCount == 20)
    }

    @Test("10 bits become 16, and the matrix of the track turns all frames")
    func deep() throws {
        let file = try Sequences.file("deep.heics")
        let header = try HEICCodec().header(of: file)
        #expect(header.bitsPerComponent == 10)
        #expect(header.displaySize == PixelSize(width: 64, height: 96))
        let upright = try Sequences.frame(
            1, of: Sequences.source(Sequences.turned(file, Sequences.identity)))
        let frame = try #require(try Sequences.source(file).frame(at: 1, maxSize: nil))
        #expect(frame.format.depth == .sixteen)
        #expect(try PixelGrid(frame) == upright.turnedLeft.turnedLeft.turnedLeft)
    }

    @Test(
        "Each matrix of quarter turns and reflections has its orientation",
        arguments: [
            ([1, 0, 0, 1], .up), ([-1, 0, 0, 1], .upMirrored), ([-1, 0, 0, -1], .down),
            ([1, 0, 0, -1], .downMirrored), ([0, 1, -1, 0], .right), ([0, -1, 1, 0], .left),
            ([0, 1, 1, 0], .leftMirrored), ([0, -1, -1, 0], .rightMirrored), ([1, 1, 0, 1], .up),
        ] as [([Int32], Image.Orientation)])
    func matrices(_ matrix: [Int32], _ orientation: Image.Orientation) throws {
        let file = try Sequences.turned(Sequences.file("deep.heics"), matrix)
        #expect(try HEICCodec().header(of: file).orientation == orientation)
    }

    @Test("The samples of the auxiliary track are the alpha of the frame", arguments: [0, 2])
    func alpha(_ number: Int) throws {
        let file = try Sequences.file("alpha.heics")
        #expect(try HEICCodec().header(of: file).hasAlpha)
        let pixels = try #require(try Sequences.source(file).frame(at: number, maxSize: nil))
        #expect(pixels.format == .rgba8Straight)
        let grid = try PixelGrid(pixels)
        for x in [0, 40, 95] {
            let expected = Int32(x * (255 - 40 * number) / 95)
            let alpha = try #require(grid.pixel(x: x, y: 30).last)
            #expect(abs(alpha - expected) <= 6, "\(x): \(alpha) instead of \(expected)")
        }
        let small = try #require(
            try Sequences.source(file).frame(at: number, maxSize: CGSize(width: 48, height: 48)))
        #expect(small.size == PixelSize(width: 48, height: 32))
        if number == 2 {
            let reference = try Sequences.reference("alpha-2")
            for channel in 0..<3 {
                #expect(grid.channel(channel).decibels(to: reference.channel(channel)) > 36)
            }
        }
        let premultiplied = try Sequences.source(Sequences.file("premultiplied.heics"))
        #expect(premultiplied.frame(at: number, maxSize: nil)?.format == .rgba8Premultiplied)
    }

    @Test("The colours of frames are reported")
    func metadata() throws {
        let blocks = try HEICCodec().metadataBlocks(of: Sequences.file("alpha.heics"))
        #expect(blocks.channels == 4 && blocks.exif == nil)
    }
}

@Suite("HEIC: malformed sequences")
struct InvalidSequenceTests {
    private func patched(_ marker: String, _ offset: Int, _ bytes: [UInt8]) throws -> ImageCodecError? {
        failure(
            of: try Sequences.file("sequence.heics").replacing(marker, at: offset, with: bytes))
    }

    @Test("A part of a file is truncated")
    func truncated() throws {
        let file = try Sequences.file("sequence.heics")
        for count in stride(from: 40, to: file.count, by: 400) {
            #expect(failure(of: file.prefix(count)) == .truncated, "\(count) bytes")
        }
    }

    @Test("Tables that lie are refused")
    func tables() throws {
        #expect(try patched("stsz", 4, [0xFF, 0xFF, 0xFF, 0xFF]) == .truncated)
        #expect(try patched("stsz", 12, [0x7F, 0, 0, 0]) == .truncated)
        #expect(try patched("stsz", 8, [0xFF, 0xFF, 0xFF, 0xFF]) == .tooManyFrames)
        #expect(try patched("stsz", 8, [0, 0, 0, 0]) == .corrupt("no frames"))
        #expect(try patched("stsz", 8, [0, 0, 0, 30]) == .corrupt("fewer frames than declared"))
        #expect(try patched("stsc", 12, [0, 0, 0, 0]) == .corrupt("fewer frames than declared"))
        #expect(
            try patched("stsc", 16, [0, 0, 0, 2])
                == .unsupported("frames of several kinds in a sequence"))
        #expect(try patched("stco", 8, [0x7F, 0, 0, 0]) == .truncated)
        #expect(try patched("stsd", 12, Array("avc1".utf8)) == .unsupported("H.264 in HEIF"))
        #expect(try patched("hdlr", 8, Array("vide".utf8)) == .corrupt("no items"))
    }

    @Test("Frames of another size than declared are refused")
    func sizes() throws {
        for (width, height) in [(95, 64), (96, 63), (64, 64), (16, 16), (200, 64)] as [(UInt8, UInt8)] {
            let error = try patched("hvc1", 24, [0, width, 0, height])
            #expect(error?.isCorrupt == true, "\(width) x \(height): \(error as Any)")
        }
        #expect(try patched("hvc1", 24, [0, 0, 0, 0]) != nil)
    }

    @Test("Alpha with another number of frames is refused")
    func alpha() throws {
        let file = try Sequences.file("alpha.heics")
        let second = try #require(file.lastRange(of: Data("stsz".utf8)))
        let fewer = file.replacing([0, 0, 0, 2], at: second.upperBound + 8)
        #expect(failure(of: fewer) == .corrupt("another number of frames of alpha"))
    }

    @Test("Limits of frames, of their pixels and of memory are kept")
    func limits() throws {
        let file = try Sequences.file("sequence.heics")
        let few = DecodingContext(limits: ImageLimits(maximumFrames: 19))
        #expect(throws: ImageCodecError.tooManyFrames) { try few.run { try HEICCodec().header(of: file) } }
        let small = DecodingContext(limits: ImageLimits(maximumAnimationPixels: 96 * 64 * 19))
        #expect(throws: ImageCodecError.tooManyAnimationPixels) {
            try small.run { try HEICCodec().frameSource(for: file) }
        }
    }

    @Test("A sample that is damaged fails alone or with those that refer to it, and nothing else does")
    func damage() throws {
        let file = try Sequences.file("sequence.heics")
        let samples = try #require(file.firstRange(of: Data("mdat".utf8))).upperBound
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var damaged = file
            damaged.corrupt(in: samples + 100..<file.count, using: &random)
            guard let source = try? HEICCodec().frameSource(for: damaged) else { continue }
            for number in [0, 19, 7] { _ = source.frame(at: number, maxSize: nil) }
        }
        // The first NAL unit of the first sample has a length beyond the sample.
        let broken = file.replacing([0x7F, 0xFF, 0xFF, 0xFF], at: samples)
        #expect(failure(of: broken)?.isCorrupt == true)
    }
}

extension ImageCodecError {
    fileprivate var isCorrupt: Bool {
        if case .corrupt = self { return true }
        return false
    }
}
