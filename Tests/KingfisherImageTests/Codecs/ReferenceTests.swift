import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// Our pixels against what independent decoders read (`Tests/Fixtures/generate`).
@Suite struct ReferenceTests {
    static let pngs = Fixtures.names(in: "PNG", withExtension: "png")
    static let jpegs = Fixtures.names(in: "JPEG", withExtension: "jpg")
    static let gifs = Fixtures.names(in: "GIF", withExtension: "gif")
    static let apngs = Fixtures.names(in: "APNG", withExtension: "apng")

    @Test func allFixturesExist() {
        #expect(Self.pngs.count >= 40)
        #expect(Self.jpegs.count >= 25)
        #expect(Self.gifs.count >= 15)
        #expect(Self.apngs.count >= 35)
    }

    @Test(arguments: pngs + jpegs + gifs + apngs) func theHeaderMatchesTheDecodedImage(name: String) throws {
        let data = try Fixtures.data(named: name)
        let codec = try #require(ImageCodecs.codec(for: data))
        let header = try codec.header(of: data)
        let pixels = try codec.decode(data, minimumSize: nil)
        #expect(header.displaySize == pixels.size)
        #expect(header.hasAlpha == !pixels.format.isOpaque)
        #expect(max(header.bitsPerComponent, 8) == pixels.bitsPerComponent)
        #expect(header.frameCount == (try codec.frameSource(for: data)?.frameCount ?? 1))
    }

    @Test(arguments: pngs) func PNGPixelsAreExact(name: String) throws {
        let pixels = try PNGCodec().decode(Fixtures.data(named: name), minimumSize: nil)
        guard pixels.bitsPerComponent == 16 else {
            let reference = try Fixtures.data(named: name + ".rgba")
            #expect(Samples.premultiplied(pixels) == Samples.premultiplied(straight: reference))
            return
        }
        let reference = try Fixtures.data(named: name + ".16")
        let expected = stride(from: 0, to: reference.count, by: 2).map {
            Int(reference[$0]) | Int(reference[$0 + 1]) << 8
        }
        let channels = expected.count / (pixels.width * pixels.height)
        let samples = Samples.all(pixels)
        #expect(samples.flatMap { $0.prefix(channels) } == expected)
        #expect(pixels.format.layout != .rgba || channels == 4 || samples.allSatisfy { $0[3] == 65_535 })
    }

    @Test(arguments: jpegs) func JPEGPixelsAreWithinFourLevels(name: String) throws {
        let pixels = try JPEGCodec().decode(Fixtures.data(named: name), minimumSize: nil)
        let reference = [UInt8](try Fixtures.data(named: name + ".rgba"))
        let ours = Samples.premultiplied(pixels)
        try #require(ours.count == reference.count)
        let differences = zip(ours, reference).map { abs(Int($0) - Int($1)) }
        #expect(differences.max() ?? 0 <= 4)
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) <= 1)
    }

    @Test(arguments: gifs.filter { $0 != "GIF/outside-canvas.gif" }) func GIFFramesAreExact(name: String)
        throws
    {
        let source = try #require(try GIFCodec().frameSource(for: Fixtures.data(named: name)))
        let reference = Samples.premultiplied(straight: try Fixtures.data(named: name + ".rgba"))
        let frames = try (0..<source.frameCount).map { try #require(source.frame(at: $0)) }
        #expect(frames.flatMap(Samples.premultiplied) == reference)
        for frame in frames where frame.format.isOpaque {
            #expect(Samples.all(frame).allSatisfy { $0[3] == 255 })
        }
    }

    @Test(arguments: apngs) func APNGFramesAreExact(name: String) throws {
        let source = try #require(try APNGCodec().frameSource(for: Fixtures.data(named: name)))
        let frames = try (0..<source.frameCount).map { try #require(source.frame(at: $0)) }
        for frame in frames where frame.format.isOpaque {
            #expect(Samples.all(frame).allSatisfy { $0[3] == 255 || $0[3] == 65_535 })
        }
        guard frames[0].bitsPerComponent == 16 else {
            let reference = Samples.premultiplied(straight: try Fixtures.data(named: name + ".rgba"))
            #expect(frames.flatMap(Samples.premultiplied) == reference)
            return
        }
        let reference = try Fixtures.data(named: name + ".16")
        let expected = stride(from: 0, to: reference.count, by: 2).map {
            Int(reference[$0]) | Int(reference[$0 + 1]) << 8
        }
        // The colour of fully transparent pixels does not matter.
        let pixels = frames.flatMap(Samples.all).map { $0[3] == 0 ? [0, 0, 0, 0] : $0 }
        let seen = stride(from: 0, to: expected.count, by: 4).map {
            expected[$0 + 3] == 0 ? [0, 0, 0, 0] : Array(expected[$0..<$0 + 4])
        }
        #expect(pixels == seen)
    }
}
