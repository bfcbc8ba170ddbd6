import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Embedded ICC profiles.
@Suite struct WebPColorTests {
    private let codec = WebPCodec()

    /// The reference is computed in floating point; lcms2 works with 16 bits, so a level may be lost.
    @Test(arguments: ["icc-adobe", "icc-adobe-alpha"])
    func aWideGamutBecomesSRGB(name: String) throws {
        let file = "WebP/\(name).webp"
        let pixels = try codec.decode(Fixtures.data(named: file), minimumSize: nil)
        let ours = WebPSamples.bytes(pixels)
        let reference = [UInt8](try Fixtures.data(named: file + ".srgb"))
        let difference = WebPSamples.difference(ours, reference)
        #expect(difference.greatest <= 1, "\(difference)")
        #expect(difference.mean < 0.1, "\(difference)")
        let stored = [UInt8](try Fixtures.data(named: file + ".rgba"))
        #expect(WebPSamples.difference(ours, stored).greatest > 20)
        let alphas = stride(from: 3, to: ours.count, by: 4)
        #expect(alphas.allSatisfy { ours[$0] == stored[$0] })
    }

    /// Frames are blended as they are stored, and the composed picture is converted: the first and every later one.
    @Test func framesOfAnAnimationAreConverted() throws {
        let still = try Fixtures.data(named: "WebP/icc-adobe.webp")
        let size = try codec.header(of: still).size
        let bitstream = try #require(still.range(of: Data("VP8".utf8), in: 30..<still.count))
        let profile = try #require(still.range(of: Data("ICCP".utf8)))
        let frame = RIFF.anmf(still[bitstream.lowerBound...], width: size.width, height: size.height)
        let dot = RIFF.anmf(
            try RIFF.bitstream(of: "WebP/lossless-1x1.webp"), width: 1, height: 1, flags: 2)
        let data = RIFF.file(
            RIFF.vp8x(0x22, width: size.width, height: size.height),
            Data(still[profile.lowerBound..<bitstream.lowerBound]), RIFF.anim(), frame, dot, dot)
        let source = try #require(try codec.frameSource(for: data))
        let reference = WebPSamples.bytes(try codec.decode(still, minimumSize: nil))
        for index in [0, 1, 2, 1, 0] {
            let frame = WebPSamples.bytes(try #require(source.frame(at: index)))
            #expect(frame.dropFirst(4).elementsEqual(reference.dropFirst(4)), "frame \(index)")
        }
    }

    @Test func theAnimationWithMetadataKeepsItsPictures() throws {
        let data = try Fixtures.data(named: "WebP/anim-metadata.webp")
        let reference = try #require(WebPAnimDecoderReference.frames(of: data))
        let source = try #require(try codec.frameSource(for: data))
        #expect(source.frameCount == reference.count)
        let header = try codec.header(of: data)
        for index in reference.indices {
            let frame = try #require(source.frame(at: index))
            #expect(frame.size == header.displaySize)
        }
    }
}
