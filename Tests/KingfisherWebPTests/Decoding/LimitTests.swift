import CWebP
import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage
@testable import KingfisherWebP

/// Files that are refused before libwebp allocates memory or takes time for them.
@Suite struct LimitTests {
    private let codec = WebPCodec()

    private typealias Parts = WebPBytes

    private func still(_ chunks: [Parts.Chunk], flags: UInt8 = 0) throws -> Data {
        Parts([Parts.vp8x(flags: flags, 17, 13)] + chunks + (try Parts(fixture: "lossy-17x13").bitstream))
            .file
    }

    private func junk(_ count: Int, bytes: Int = 0) -> [Parts.Chunk] {
        Array(repeating: Parts.Chunk(name: "JUNK", payload: Data(count: bytes)), count: count)
    }

    /// The last frame is corrupt, so libwebpdemux would report another error if it ran first.
    @Test func tooManyFramesAreRefusedBeforeTheyAreRead() throws {
        let dot = try Parts(fixture: "lossless-1x1").bitstream
        let frames = Array(repeating: Parts.frame(dot, 1, 1), count: ImageLimits.maximumFrames)
        let head = [Parts.vp8x(flags: Parts.animationFlag, 1, 1), Parts.anim()]
        #expect(try codec.header(of: Parts(head + frames).file).frameCount == ImageLimits.maximumFrames)
        let damaged = Parts(head + frames + [Parts.frame([], 1, 1)]).file
        #expect(throws: ImageCodecError.tooManyFrames) {
            try codec.header(of: damaged)
        }
    }

    @Test func tooManyChunksAreRefused() throws {
        // VP8X counts as one of them.
        let most = RIFFWalk.maximumOtherChunks - 1
        #expect(try codec.header(of: still(junk(most))).size == PixelSize(width: 17, height: 13))
        #expect(throws: ImageCodecError.tooMuchMetadata) {
            try codec.header(of: still(junk(most + 1)))
        }
    }

    @Test("The table of limits in SECURITY.md states the number of chunks")
    func page() throws {
        let page = try RepositoryPage.text("SECURITY.md")
        let figure = RIFFWalk.maximumOtherChunks.formatted(.number.locale(Locale(identifier: "en_US")))
        #expect(page.contains("| \(figure) | `RIFFWalk.maximumOtherChunks` |"))
    }

    /// Chunks within a frame count, because libwebpdemux stores them like chunks outside.
    @Test func tooManyChunksWithinAFrameAreRefused() throws {
        let dot = try Parts(fixture: "lossless-1x1").bitstream
        let frame = Parts.frame(dot + junk(RIFFWalk.maximumOtherChunks), 1, 1)
        let data = Parts([Parts.vp8x(flags: Parts.animationFlag, 1, 1), Parts.anim(), frame]).file
        #expect(throws: ImageCodecError.tooMuchMetadata) {
            try codec.header(of: data)
        }
    }

    /// As in `ImageLimitsTests` for the other formats: each limit, lowered to what a file needs, and further.
    @Test func filesAboveLoweredLimitsAreRefused() throws {
        let image = try Fixtures.data(named: "WebP/anim-loops-3.webp")
        let header = try codec.header(of: image)
        let rows = try codec.decode(image, minimumSize: nil).byteCount
        func refusal(_ file: Data, _ lower: (inout ImageLimits) -> Void) -> ImageCodecError? {
            var limits = ImageLimits()
            lower(&limits)
            return DecodingContext(limits: limits).run {
                do throws(ImageCodecError) {
                    _ = try Image.decode(file, using: codec)
                    return nil
                } catch {
                    return error
                }
            }
        }
        let area = header.size.area
        #expect(refusal(image) { $0.maximumPixels = area } == nil)
        #expect(
            refusal(image) { $0.maximumPixels = area - 1 }
                == .tooLarge(width: header.size.width, height: header.size.height))
        #expect(refusal(image) { $0.maximumFrames = header.frameCount } == nil)
        #expect(refusal(image) { $0.maximumFrames = header.frameCount - 1 } == .tooManyFrames)
        #expect(refusal(image) { $0.maximumFrameBytes = 4 * rows } == nil)
        #expect(refusal(image) { $0.maximumFrameBytes = 4 * rows - 1 } == .tooMuchMemory)
        // The payload of VP8X has ten bytes.
        let described = try still(junk(1, bytes: 5_000))
        #expect(refusal(described) { $0.maximumMetadataBytes = 5_010 } == nil)
        #expect(refusal(described) { $0.maximumMetadataBytes = 5_009 } == .tooMuchMetadata)
        let small = try Fixtures.data(named: "WebP/lossy-17x13.webp")
        let bytes = try codec.decode(small, minimumSize: nil).byteCount
        #expect(refusal(small) { $0.maximumFrameBytes = bytes } == nil)
        #expect(refusal(small) { $0.maximumFrameBytes = bytes - 1 } == .tooMuchMemory)
    }

    @Test func theMetadataLimitAppliesToTheTotal() throws {
        // The payload of VP8X has ten bytes.
        let half = (ImageLimits.maximumMetadataBytes - 10) / 2
        #expect(try codec.header(of: still(junk(2, bytes: half))).size == PixelSize(width: 17, height: 13))
        #expect(throws: ImageCodecError.tooMuchMetadata) {
            try codec.header(of: still(junk(2, bytes: half + 1)))
        }
    }

    @Test func aCanvasTooLargeToComposeIsRefused() throws {
        let frame = Parts.frame(try Parts(fixture: "lossless-1x1").bitstream, 1, 1)
        let head = [Parts.vp8x(flags: Parts.animationFlag, 9_400, 9_600), Parts.anim()]
        #expect(try codec.header(of: Parts(head + [frame]).file).frameCount == 1)
        #expect(throws: ImageCodecError.tooMuchMemory) {
            try codec.header(of: Parts(head + [frame, frame]).file)
        }
    }

    /// libwebpdemux would refuse these frames as well. The fields decide where rows are written, so they are
    /// checked twice.
    @Test(arguments: [
        (1, 0, 17, 13), (0, 1, 17, 13), (-2, 0, 4, 4), (0, -2, 4, 4), (0, 0, 0, 5), (0, 0, 18, 1),
    ])
    func framesOutsideTheCanvasAreRefused(left: Int32, top: Int32, width: Int32, height: Int32) throws {
        let canvas = PixelSize(width: 17, height: 13)
        let file = Data(count: 40)
        try file.reading { reader throws(ImageCodecError) in
            var iterator = WebPIterator()
            iterator.complete = 1
            iterator.fragment = WebPData(
                bytes: reader.bytes.bindMemory(to: UInt8.self).baseAddress, size: reader.count)
            (iterator.width, iterator.height) = (17, 13)
            #expect(try WebPFrame(iterator, in: reader, canvas: canvas).fills(canvas))
            (iterator.x_offset, iterator.y_offset) = (left, top)
            (iterator.width, iterator.height) = (width, height)
            #expect(throws: ImageCodecError.corrupt("a frame outside the canvas")) {
                try WebPFrame(iterator, in: reader, canvas: canvas)
            }
        }
    }

    // MARK: Arriving images

    /// Refused at the header of the first chunk above the limit, before the bitstream arrives.
    @Test func tooManyChunksBeforeAnArrivingBitstreamAreRefused() throws {
        let whole = try still(junk(RIFFWalk.maximumOtherChunks))
        let decoder = WebPIncrementalDecoder()
        let front = 12 + 18 + (RIFFWalk.maximumOtherChunks - 1) * 8
        try decoder.append(whole.prefix(front + 7))
        #expect(throws: ImageCodecError.tooMuchMetadata) {
            try decoder.append(whole[(front + 7)...(front + 7)])
        }
    }

    @Test func tooMuchMetadataBeforeAnArrivingBitstreamIsRefused() throws {
        let profile = Parts.Chunk(name: "ICCP", payload: Data(count: ImageLimits.maximumMetadataBytes))
        let decoder = WebPIncrementalDecoder()
        let head = try still([profile], flags: Parts.iccFlag).prefix(12 + 18 + 8)
        #expect(throws: ImageCodecError.tooMuchMetadata) {
            try decoder.append(head)
        }
    }

    /// Thousands of chunks are parsed once, not again for each of ten thousand pieces.
    @Test func chunksBeforeTheBitstreamAreParsedOnce() throws {
        let bitstream = try Parts(fixture: "lossless-chelsea").bitstream
        let size = try codec.header(of: Parts(bitstream).file).size
        let file = Parts([Parts.vp8x(flags: 0, size.width, size.height)] + junk(9_000) + bitstream).file
        let decoder = WebPIncrementalDecoder()
        try decoder.append(file.prefix(72_000))
        let started = ContinuousClock.now
        for offset in 72_000..<file.count { try decoder.append(file[offset..<offset + 1]) }
        #expect(decoder.isFinished)
        #expect(ContinuousClock.now - started < .seconds(8 * ProcessStatus.slowness))
    }
}
