import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Our pixels against what dwebp and libwebp's WebPAnimDecoder decode (`Tests/Fixtures/generate/webp.py`).
@Suite struct ReferenceTests {
    let codec: any ImageCodec = WebPCodec()

    @Test func allReferenceFilesExist() throws {
        #expect(ReferenceSet.stills.count >= 135)
        #expect(ReferenceSet.animations.count >= 50)
        #expect(try ReferenceSet.timings().keys.sorted().map { "WebP/\($0)" } == ReferenceSet.animations)
    }

    @Test(arguments: ReferenceSet.all) func theHeaderMatchesTheDecodedImage(name: String) throws {
        let data = try Fixtures.data(named: name)
        let header = try codec.header(of: data)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(header.displaySize == pixels.size)
        #expect(header.hasAlpha == !pixels.format.isOpaque)
        #expect(header.bitsPerComponent == 8)
        #expect(pixels.format == .rgba8Opaque || pixels.format == .rgba8Straight)
        #expect(!pixels.format.isOpaque || pixels.isEntirelyOpaque)
        let source = try codec.frameSource(for: data)
        #expect((source != nil) == ReferenceSet.animations.contains(name))
        #expect(header.frameCount == source?.frameCount ?? 1)
        #expect(header.timing?.loopCount == source?.loopCount)
    }

    // MARK: Stills

    @Test(arguments: ReferenceSet.plainStills) func pixelsOfStillsAreExact(name: String) throws {
        let data = try Fixtures.data(named: name)
        let pixels = try codec.decode(data, minimumSize: nil)
        try expect(pixels, toBe: ReferenceSet.pixels(of: name))
        #expect(try codec.frameSource(for: data) == nil)
        #expect(try codec.header(of: data).orientation == .up)
    }

    /// The pixels of dwebp, rotated by the arithmetic of this test.
    @Test(arguments: ReferenceSet.stills.filter { ReferenceSet.orientation(of: $0) != 1 })
    func stillsWithAnOrientationAreUpright(name: String) throws {
        let data = try Fixtures.data(named: name)
        let header = try codec.header(of: data)
        let exif = ReferenceSet.orientation(of: name)
        #expect(header.orientation == Image.Orientation(exif: exif))
        let stored = Raster(
            width: header.size.width, height: header.size.height, bytes: try ReferenceSet.pixels(of: name))
        let upright = stored.upright(fromEXIF: exif)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(pixels.size == PixelSize(width: upright.width, height: upright.height))
        try expect(pixels, toBe: upright.bytes)
    }

    @Test func aBitstreamWithUndeclaredAlphaIsOpaque() throws {
        let name = "WebP/badge-lossless.webp"
        var data = try Fixtures.data(named: name)
        #expect(try codec.header(of: data).hasAlpha)
        var reference = try ReferenceSet.pixels(of: name)
        for index in stride(from: 3, to: reference.count, by: 4) { reference[index] = 255 }
        // The alpha bit after the two sizes of 14 bits (RFC 9649, 3.4), after RIFF, chunk header and
        // signature.
        data[24] &= ~0x10
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(pixels.format == .rgba8Opaque)
        try expect(pixels, toBe: reference)
    }

    // MARK: Animations

    @Test(arguments: ReferenceSet.animations) func framesAreExactInEveryOrder(name: String) throws {
        let data = try Fixtures.data(named: name)
        let timing = try #require(try ReferenceSet.timings()[String(name.dropFirst(5))])
        let size = PixelSize(width: timing.width, height: timing.height)
        let reference = try ReferenceSet.pixels(of: name)
        let count = timing.milliseconds.count
        try #require(reference.count == count * size.area * 4)
        func expectFrame(_ number: Int, of pixels: PixelBuffer?, _ order: String) throws {
            let pixels = try #require(pixels, "frame \(number) \(order)")
            #expect(pixels.size == size)
            let bytes = reference[number * size.area * 4..<(number + 1) * size.area * 4]
            try expect(pixels, toBe: Array(bytes), "frame \(number) \(order)")
        }
        try expectFrame(0, of: codec.decode(data, minimumSize: nil), "decoded")
        let source = try #require(try codec.frameSource(for: data))
        #expect(source.frameCount == count)
        for number in 0..<count { try expectFrame(number, of: source.frame(at: number), "forwards") }
        for number in (0..<count).reversed() {
            try expectFrame(number, of: source.frame(at: number), "backwards")
        }
        var generator = SeededGenerator(seed: UInt64(data.count))
        for _ in 0..<count * 2 {
            let number = Int.random(in: 0..<count, using: &generator)
            try expectFrame(number, of: source.frame(at: number), "at random")
            try expectFrame(number, of: source.copy().frame(at: number), "at random, from the start")
        }
        #expect(source.frame(at: count) == nil)
        #expect(source.frame(at: -1) == nil)
    }

    @Test(arguments: ReferenceSet.animations) func theTimingMatchesTheFile(name: String) throws {
        let data = try Fixtures.data(named: name)
        let expected = try #require(try ReferenceSet.timings()[String(name.dropFirst(5))])
        let timing = try codec.header(of: data).timing
        let source = try #require(try codec.frameSource(for: data))
        // Very short delays become a tenth of a second, as for GIF.
        let seconds = expected.milliseconds.map { $0 <= 11 ? 0.1 : Double($0) / 1000 }
        #expect(timing == AnimationTiming(durations: seconds, loopCount: expected.loops))
        #expect(source.loopCount == expected.loops)
        #expect(seconds.indices.map(source.duration) == seconds)
    }

    /// Exact for straight alpha, as libwebp's tools write it; rounded to the nearest for premultiplied
    /// images.
    private func expect(_ pixels: PixelBuffer, toBe reference: [UInt8], _ what: String = "") throws {
        let ours = Raster(pixels)
        let straight = Raster(width: ours.width, height: ours.height, bytes: reference)
        let theirs = pixels.format.alpha == .premultiplied ? straight.premultiplied : straight
        #expect(ours.bytes.count == theirs.bytes.count)
        let first = zip(ours.bytes, theirs.bytes).enumerated().first { $0.element.0 != $0.element.1 }
        guard let index = first.map({ $0.offset / 4 * 4 }) else { return }
        throw Mismatch(
            what: what, x: index / 4 % ours.width, y: index / 4 / ours.width,
            ours: Array(ours.bytes[index..<index + 4]), theirs: Array(theirs.bytes[index..<index + 4]))
    }

    /// The first pixel that differs; it ends the test.
    private struct Mismatch: Error {
        let what: String
        let x, y: Int
        let ours, theirs: [UInt8]
    }
}
