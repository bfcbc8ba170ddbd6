import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

/// A frame is decoded on request, so corrupt data of later frames do not matter.
@Suite struct FramesOnDemandTests {
    /// An animation whose frames have corrupt data from index `first` on.
    private func apng(brokenFrom first: Int) throws -> Data {
        var list = ChunkList(try Fixtures.data(named: "APNG/opaque-rgb.apng"))
        for place in list.places("fdAT")[(first - 1)...] {
            list.chunks[place].data.replaceSubrange(6..<20, with: Array(repeating: 0xFF, count: 14))
        }
        return list.file
    }

    /// Frames of two pixels; from index `first` on, the codes end before the pixels do.
    private func gif(brokenFrom first: Int) -> Data {
        let head = Data("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frames = (0..<6).map { number in
            Data(
                [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2] + (number < first ? [0x4C, 0x0A] : [0x2C, 0x00]) + [0]
            )
        }
        return frames.reduce(head, +) + [0x3B]
    }

    @Test func theFirstFrameIsDecodedWithoutTheOthers() throws {
        for data in [try apng(brokenFrom: 1), gif(brokenFrom: 1)] {
            let image = try Image.decode(data)
            #expect(image.kf.imageFrameCount == 6 && image.pixels != nil)
            let source = try #require(image.kf.frameSource)
            #expect(source.frame(at: 0) != nil && source.frame(at: 1) == nil)
            #expect(Image(data: data) != nil)
        }
    }

    @Test func framesBeforeACorruptOneAreDecoded() throws {
        for (data, whole) in [
            (try apng(brokenFrom: 2), try Fixtures.data(named: "APNG/opaque-rgb.apng")),
            (gif(brokenFrom: 2), gif(brokenFrom: 6)),
        ] {
            let source = try #require(try Image.decode(data).kf.frameSource)
            let expected = try #require(try Image.decode(whole).kf.frameSource)
            for index in [1, 0, 2, 1] {
                #expect((source.frame(at: index) == nil) == (index == 2))
                guard index < 2 else { continue }
                #expect(
                    Samples.all(try #require(source.frame(at: index)))
                        == Samples.all(try #require(expected.frame(at: index))))
            }
        }
    }

    @Test func aWrongPixelChecksumAffectsOnlyItsFrame() throws {
        let data = try Fixtures.data(named: "APNG/opaque-rgb.apng")
        let third = try #require(data.thirdFrameData)
        let source = try APNGCodec.source(data.replacing([data[third + 12] ^ 1], at: third + 12))
        _ = try source.composedFrame(at: 1)
        #expect(throws: ImageCodecError.corrupt("a chunk with a wrong checksum")) {
            try source.composedFrame(at: 2)
        }
    }
}

extension Data {
    /// The offset of the type of the second fdAT chunk.
    fileprivate var thirdFrameData: Int? {
        offset(of: Array("fdAT".utf8)).flatMap { offset(of: Array("fdAT".utf8), from: $0 + 4) }
    }
}
