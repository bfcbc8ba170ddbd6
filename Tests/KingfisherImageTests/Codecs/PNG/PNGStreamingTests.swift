import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// PNGs of every format are shrunk while they are decoded, by the fast path and by libspng.
@Suite struct PNGStreamingTests {
    private let codec = PNGCodec()

    static let names = ReferenceTests.pngs.filter { !$0.contains("adam7") && !$0.contains("1x1") }

    @Test(
        "A thumbnail of any format matches the shrunk whole image and is made from fewer pixels",
        arguments: names)
    func everyKind(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try codec.decode(data, minimumSize: nil)
        let target = try #require(whole.size.shrunk(toLongerSide: 4))
        let small = try codec.decode(data, minimumSize: PixelSize(width: 8, height: 5))
        #expect(small.width < whole.width && small.height < whole.height)
        let (made, expected) = (
            try codec.decode(data, shrunkTo: target), try whole.resized(to: target)
        )
        #expect(made.format == expected.format)
        if whole.format.depth == .eight {
            #expect(made.packedBytes == expected.packedBytes)
        } else {
            // The whole image of 16 bits is resampled without the box filter.
            let pairs = zip(Samples.all(made), Samples.all(expected))
            for (ours, theirs) in pairs.map({ ($0.0, $0.1) }) {
                #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) < 65_535 / 40 }, "\(ours) \(theirs)")
            }
        }
    }

    @Test("A thumbnail of a 16-bit image never holds the whole image in memory")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let side = 4_000
            let file = try HostilePNG.zeros(side, side, depth: 16, colorType: 6)
            precondition(file.count < 200_000)
            let before = ProcessStatus.peakResidentBytes
            let image = try Image.downsample(file, to: CGSize(width: 64, height: 64), scale: 1)
            precondition(image.size == CGSize(width: 64, height: 64))
            let taken = ProcessStatus.peakResidentBytes - before
            precondition(taken < 40 << 20 || ProcessStatus.isSanitized, "\(taken) bytes")
        }
    }

    @Test("Straight 16-bit alpha is premultiplied row by row")
    func straightAlpha() async {
        await #expect(processExitsWith: .success) {
            let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
            let large = try PixelBuffer(width: 2_000, height: 2_000, format: format) { rows, _ in
                _ = rows.initializeMemory(as: UInt8.self, repeating: 200)
            }
            let before = ProcessStatus.peakResidentBytes
            let small = try large.resized(to: PixelSize(width: 50, height: 50))
            precondition(small.format.alpha == .premultiplied)
            precondition(ProcessStatus.peakResidentBytes - before < 10 << 20 || ProcessStatus.isSanitized)
        }
    }

    @Test("Colours are converted in place if the pixels have no other reference")
    func colors() throws {
        let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
        let profile = try Fixtures.data(named: "Color/rec2020.icc")
        let transform = try #require(
            profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: ICCSamples(format)) })
        func image() throws -> PixelBuffer {
            try Samples.buffer(2, format, [65_535, 0, 0, 9, 0, 65_535, 100, 65_535])
        }
        var (shared, alone) = (try image(), try image())
        let (other, place) = (shared, alone.unsafeBase)
        let expected = try transform.converted(shared).packedBytes
        try transform.convert(&shared)
        try transform.convert(&alone)
        #expect(shared.packedBytes == expected && alone.packedBytes == expected)
        #expect(other.packedBytes == (try image().packedBytes) && other.packedBytes != expected)
        #expect(alone.unsafeBase == place && shared !== other)
    }

    @Test("A rotated image needs its memory twice, and is refused by its header if that exceeds the limit")
    func turned() throws {
        let data = try Fixtures.data(named: "Orientation/exif-6.png")
        let bytes = try PNGCodec().decode(data, minimumSize: nil).byteCount
        var limits = ImageLimits()
        limits.maximumFrameBytes = bytes * 2 - 700
        DecodingContext(limits: limits).run {
            #expect(throws: ImageCodecError.tooMuchMemory) { try PNGCodec().decode(data, minimumSize: nil) }
        }
    }
}

/// Small PNG files of large images.
enum HostilePNG {
    /// An image of zeros, which DEFLATE packs about a thousandfold.
    static func zeros(_ width: Int, _ height: Int, depth: UInt8, colorType: UInt8) throws -> Data {
        let channels = try #require(PNGMaker.channels[Int(colorType)])
        let count = (1 + (width * channels * Int(depth) + 7) / 8) * height
        var list = ChunkList(Data())
        let size = ChunkList.bytes(UInt32(width)) + ChunkList.bytes(UInt32(height))
        // The DEFLATE stream of gzip between zlib's header and checksum; the checksum of zeros is 1 and their
        // number.
        let adler = ChunkList.bytes(UInt32(count % 65_521) << 16 | 1)
        let stream = [0x78, 0x9C] + Array(Gzip.zeros(count).dropFirst(10).dropLast(8)) + adler
        list.chunks = [
            .init(type: "IHDR", data: size + [depth, colorType, 0, 0, 0]), .init(type: "IDAT", data: stream),
            .init(type: "IEND", data: []),
        ]
        return list.file
    }
}
