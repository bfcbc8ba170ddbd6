import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// ICC profiles of JPEG files against Pillow's ImageCms: another version of lcms2, with pixels decoded by
/// Pillow.
@Suite struct JPEGProfileTests {
    private let codec = JPEGCodec()

    private func file(_ name: String) throws -> Data { try Fixtures.data(named: "Color/\(name).jpg") }

    private func pixels(_ data: Data) throws -> [[Int]] {
        Samples.all(try codec.decode(data, minimumSize: nil))
    }

    @Test(arguments: ["rec2020", "gray", "cmyk", "ycck"])
    func colorsAreWithinTwoLevelsOfImageCms(name: String) throws {
        let image = try codec.decode(file(name), minimumSize: nil)
        #expect(image.format == (name == "gray" ? .gray8 : .rgba8Opaque))
        let reference = [UInt8](try Fixtures.data(named: "Color/\(name).rgb"))
        try #require(reference.count == image.size.area * 3)
        let ours = Samples.premultiplied(image)
        var sum = 0
        for pixel in 0..<image.size.area {
            #expect(ours[pixel * 4 + 3] == 255)
            for channel in 0..<3 {
                let difference = abs(Int(ours[pixel * 4 + channel]) - Int(reference[pixel * 3 + channel]))
                #expect(difference <= 2)
                sum += difference
            }
        }
        #expect(Double(sum) / Double(reference.count) < 0.4)
    }

    @Test(arguments: [("rec2020", "444"), ("gray", "gray"), ("cmyk", "cmyk")])
    func colorsDifferWithoutTheProfile(name: String, plain: String) throws {
        let stored = try pixels(Fixtures.data(named: "JPEG/\(plain).jpg"))
        #expect(try pixels(file(name)) != stored)
    }

    @Test func removingTheAdobeMarkerInvertsCMYK() throws {
        let data = try file("cmyk")
        let adobe = try #require(data.offset(of: [0xFF, 0xEE]))
        let plain = data.prefix(adobe) + data.dropFirst(adobe + 16)
        let brightness = { (pixels: [[Int]]) in pixels.reduce(0) { $0 + $1[1] } }
        #expect(try brightness(pixels(plain)) < brightness(pixels(data)) / 2)
    }

    @Test func aThumbnailIsConvertedAfterShrinking() throws {
        let data = try file("rec2020")
        let whole = try Image(pixels: codec.decode(data, minimumSize: nil)).kf.downsampled(
            to: CGSize(width: 12, height: 12), scale: 1)
        let image = try Image.downsample(data, to: CGSize(width: 12, height: 12), scale: 1)
        let (one, other) = (try #require(image.pixels), try #require(whole.pixels))
        #expect(one.size == PixelSize(width: 12, height: 9))
        for (ours, reference) in zip(Samples.all(one), Samples.all(other)) {
            for (sample, expected) in zip(ours, reference) { #expect(abs(sample - expected) <= 12) }
        }
    }

    // MARK: Pieces

    private func profile(_ name: String = "rec2020") throws -> Data {
        try Fixtures.data(named: "Color/\(name).icc")
    }

    private func segment(_ piece: Data, _ number: Int, of count: Int) -> Data {
        let length = piece.count + 16
        let head: [UInt8] = [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)]
        return Data(head) + Data("ICC_PROFILE\0".utf8) + Data([UInt8(number), UInt8(count)]) + piece
    }

    /// The profile split into `count` pieces of different lengths.
    private func pieces(_ count: Int) throws -> [Data] {
        let profile = try profile()
        let cuts = [0] + (1..<count).map { $0 * $0 * profile.count / (count * count) } + [profile.count]
        return zip(cuts, cuts.dropFirst()).map { profile.subdata(in: $0..<$1) }
    }

    private func carrying(_ segments: [Data]) throws -> Data {
        let plain = try Fixtures.data(named: "JPEG/444.jpg")
        return plain.prefix(2) + segments.reduce(Data(), +) + plain.dropFirst(2)
    }

    @Test(arguments: [1, 2, 7, 60]) func piecesAreJoinedInTheOrderOfTheirNumbers(count: Int) throws {
        let expected = try pixels(file("rec2020"))
        let segments = try pieces(count).enumerated().map { segment($1, $0 + 1, of: count) }
        #expect(try pixels(carrying(segments)) == expected)
        #expect(try pixels(carrying(segments.reversed())) == expected)
        let others = [Data([0xFF, 0xE2, 0, 6]) + Data("MPF\0".utf8), Data([0xFF, 0xE2, 0, 2])]
        #expect(try pixels(carrying(others + segments + others)) == expected)
    }

    @Test func inconsistentPiecesAreNotAProfile() throws {
        let plain = try pixels(Fixtures.data(named: "JPEG/444.jpg"))
        let cut = try pieces(3)
        let whole = (0..<3).map { segment(cut[$0], $0 + 1, of: 3) }
        let broken: [String: [Data]] = [
            "a missing piece": [whole[0], whole[2]],
            "a missing last piece": [whole[0], whole[1]],
            "a piece twice": whole + [whole[1]],
            "another count": [whole[0], whole[1], segment(cut[2], 3, of: 4)],
            "a number above the count": [whole[0], whole[1], segment(cut[2], 4, of: 3)],
            "number zero": [segment(cut[0], 0, of: 3), whole[1], whole[2]],
            "count zero": [segment(try profile(), 1, of: 0)],
            "truncated after its name": [Data([0xFF, 0xE2, 0, 14]) + Data("ICC_PROFILE\0".utf8)],
            "no bytes": [segment(Data(), 1, of: 1)],
            "pieces in the wrong order": [
                segment(cut[1], 1, of: 3), segment(cut[0], 2, of: 3), whole[2],
            ],
            "a profile for grey": [segment(try profile("gray"), 1, of: 1)],
            "a profile for CMYK": [segment(try profile("inks"), 1, of: 1)],
        ]
        for (name, segments) in broken {
            #expect(try pixels(carrying(segments)) == plain, "\(name)")
        }
    }
}
