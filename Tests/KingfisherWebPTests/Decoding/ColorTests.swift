import Foundation
import KingfisherTestSupport
import KingfisherWebP
import TestHelpers
import Testing

/// Embedded ICC profiles.
@Suite struct ColorTests {
    private let codec = WebPCodec()

    /// The reference is computed in floating point; lcms2 works with 16 bits, so a result may differ by one
    /// level.
    @Test(arguments: ["icc-adobe", "icc-adobe-alpha"])
    func wideGamutColoursAreConvertedToSRGB(name: String) throws {
        let file = "WebP/\(name).webp"
        let pixels = try codec.decode(Fixtures.data(named: file), minimumSize: nil)
        let ours = Raster(pixels)
        func raster(_ suffix: String) throws -> Raster {
            let bytes = [UInt8](try Fixtures.data(named: file + suffix))
            return Raster(width: ours.width, height: ours.height, bytes: bytes)
        }
        let difference = try ours.difference(from: raster(".srgb"))
        #expect(difference.largest <= 1, "\(difference)")
        #expect(difference.mean < 0.1, "\(difference)")
        let stored = try raster(".rgba")
        #expect(ours.difference(from: stored).largest > 20)
        let alphas = stride(from: 3, to: ours.bytes.count, by: 4)
        #expect(alphas.allSatisfy { ours.bytes[$0] == stored.bytes[$0] })
    }

    /// Frames are composed with the stored colours, and the composed image is converted: the first and every
    /// later one.
    @Test func framesOfAnAnimationAreConverted() throws {
        let still = try Fixtures.data(named: "WebP/icc-adobe.webp")
        let size = try codec.header(of: still).size
        let parts = try WebPBytes(fixture: "icc-adobe")
        let profile = try #require(parts.chunks.first { $0.name == "ICCP" })
        let frame = WebPBytes.frame(parts.bitstream, size.width, size.height)
        let dot = WebPBytes.frame(try WebPBytes(fixture: "lossless-1x1").bitstream, 1, 1, flags: 2)
        let flags = WebPBytes.animationFlag | WebPBytes.iccFlag
        let head = [WebPBytes.vp8x(flags: flags, size.width, size.height), profile, WebPBytes.anim()]
        let data = WebPBytes(head + [frame, dot, dot]).file
        let source = try #require(try codec.frameSource(for: data))
        let reference = Raster(try codec.decode(still, minimumSize: nil)).bytes
        for index in [0, 1, 2, 1, 0] {
            let frame = Raster(try #require(source.frame(at: index))).bytes
            #expect(frame.dropFirst(4).elementsEqual(reference.dropFirst(4)), "frame \(index)")
        }
    }

    @Test func anAnimationWithMetadataYieldsAllFrames() throws {
        let data = try Fixtures.data(named: "WebP/anim-metadata.webp")
        let reference = try Libwebp.animation(data).frames
        let source = try #require(try codec.frameSource(for: data))
        #expect(source.frameCount == reference.count)
        let header = try codec.header(of: data)
        for index in reference.indices {
            let frame = try #require(source.frame(at: index))
            #expect(frame.size == header.displaySize)
        }
    }
}
