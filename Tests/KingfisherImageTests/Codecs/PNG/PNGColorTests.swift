import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Profiles of PNG files against ImageCms and the formulas, both by `Tests/Fixtures/generate/color.py`.
@Suite struct PNGColorTests {
    private func file(_ name: String) throws -> Data { try Fixtures.data(named: "Color/\(name).png") }

    private func samples(_ name: String, bytes: Int) throws -> [Int] {
        let data = try Fixtures.data(named: "Color/\(name)").map(Int.init)
        return bytes == 1
            ? data : stride(from: 0, to: data.count, by: 2).map { data[$0] | data[$0 + 1] << 8 }
    }

    /// The largest difference between the colours, and the largest change by the conversion.
    private func distances(
        _ name: String, _ reference: [Int], channels: Int, colors: Int
    ) throws -> (error: Int, moved: Int) {
        let ours = Samples.all(try PNGCodec().decode(file(name), minimumSize: nil))
        var plain = ChunkList(try file(name))
        plain.chunks.removeAll { $0.type == "iCCP" }
        let stored = Samples.all(try PNGCodec().decode(plain.file, minimumSize: nil))
        #expect(reference.count == ours.count * channels)
        var (error, moved) = (0, 0)
        for (index, pixel) in ours.enumerated() {
            for channel in 0..<colors {
                error = max(error, abs(pixel[channel] - reference[index * channels + channel]))
                moved = max(moved, abs(pixel[channel] - stored[index][channel]))
            }
            #expect(pixel.last == stored[index].last || pixel.count == 1)
        }
        return (error, moved)
    }

    /// Within one level: the reference is another version of lcms2, with three channels.
    @Test func displayP3MatchesImageCms() throws {
        let (error, moved) = try distances(
            "display-p3", samples("display-p3.rgba", bytes: 1), channels: 4, colors: 3)
        #expect(error <= 1 && moved > 20)
    }

    /// Within 128 of 65,535, half an 8-bit level: the numbers of a profile have 16 bits, and near black, if a
    /// channel is out of gamut, the sRGB curve amplifies their rounding thirteen times.
    @Test func adobeRGBOf16BitsMatchesImageCms() throws {
        let (error, moved) = try distances(
            "adobe-16", samples("adobe-16.16", bytes: 2), channels: 3, colors: 3)
        #expect(error <= 128 && moved > 5_000)
        #expect(try PNGCodec().decode(file("adobe-16"), minimumSize: nil).bitsPerComponent == 16)
    }

    @Test func greyWithAnotherCurveIsConverted() throws {
        let (error, moved) = try distances(
            "gray-22", samples("gray-22.gray", bytes: 1), channels: 1, colors: 1)
        #expect(error <= 1 && moved > 3)
        #expect(try PNGCodec().decode(file("gray-22"), minimumSize: nil).format == .gray8)
    }

    @Test func thumbnailsAreConvertedAfterShrinking() throws {
        let target = PixelSize(width: 12, height: 8)
        var plain = ChunkList(try file("display-p3"))
        plain.chunks.removeAll { $0.type == "iCCP" }
        let profile = try #require(try file("display-p3").reading { PNGColors.profile(in: $0) })
        let transform = try #require(
            try profile.reading { reader throws(ImageCodecError) in ICCTransform.toSRGB(from: reader) })
        let small = try PNGCodec().decode(plain.file, shrunkTo: target)
        let expected = try transform.converted(small)
        let ours = try PNGCodec().decode(file("display-p3"), shrunkTo: target)
        #expect(Samples.all(ours) == Samples.all(expected))
        #expect(Samples.all(ours) != Samples.all(small))
    }

    /// An encoded image declares sRGB and is decoded unchanged.
    @Test func encodedImagesDeclareSRGB() throws {
        let pixels = try PNGCodec().decode(file("display-p3"), minimumSize: nil)
        let again = try PNGCodec().decode(PNGCodec().encode(pixels, options: .init()), minimumSize: nil)
        #expect(Samples.all(again) == Samples.all(pixels))
    }

    @Test func animationsAreConvertedAfterComposing() throws {
        var animation = ChunkList(try Fixtures.data(named: "APNG/partial-alpha.apng"))
        let plain = try APNGCodec.source(animation.file)
        let profile = try #require(ChunkList(try file("display-p3")).chunks.first { $0.type == "iCCP" })
        animation.chunks.insert(profile, at: 1)
        let colored = try APNGCodec.source(animation.file)
        let bytes = try #require(try file("display-p3").reading { PNGColors.profile(in: $0) })
        let transform = try #require(
            try bytes.reading { reader throws(ImageCodecError) in ICCTransform.toSRGB(from: reader) })
        var differ = false
        for number in 0..<plain.frameCount {
            let before = try #require(plain.frame(at: number))
            let after = Samples.all(try #require(colored.frame(at: number)))
            #expect(after == Samples.all(try transform.converted(before)))
            differ = differ || after != Samples.all(before)
        }
        #expect(differ)
    }

    /// Their frames have three equal channels. The reference is the decode of a still, which has one.
    @Test(arguments: ["gray", "grayalpha", "grayalpha16"]) func greyAnimationsAreConvertedAfterComposing(
        name: String
    ) throws {
        var animation = ChunkList(try Fixtures.data(named: "APNG/\(name).apng"))
        let plain = try APNGCodec.source(animation.file)
        let profile = try #require(ChunkList(try file("gray-22")).chunks.first { $0.type == "iCCP" })
        animation.chunks.insert(profile, at: 1)
        let colored = try APNGCodec.source(animation.file)
        let bytes = try #require(try file("gray-22").reading { PNGColors.profile(in: $0) })
        var moved = 0
        for number in 0..<plain.frameCount {
            let stored = try #require(plain.frame(at: number))
            let depth = stored.format.depth
            let transform = try #require(
                try bytes.reading { reader throws(ImageCodecError) in
                    ICCTransform.toSRGB(from: reader, of: .gray(depth, alpha: false))
                })
            let before = Samples.all(stored)
            let grey = PixelFormat(layout: .gray, depth: depth, alpha: .opaque)
            let expected = Samples.all(
                try transform.converted(Samples.buffer(stored.width, grey, before.map { $0[0] })))
            let after = Samples.all(try #require(colored.frame(at: number)))
            let level = depth == .eight ? 1 : 257
            for (index, pixel) in after.enumerated() {
                #expect(pixel[0..<3].allSatisfy { abs($0 - expected[index][0]) <= level })
                #expect(pixel[3] == before[index][3])
                moved = max(moved, abs(pixel[0] - before[index][0]) / level)
            }
        }
        #expect(moved > 3)
    }

    /// A zlib stream of stored blocks (RFC 1950, 1951).
    private func stored(_ bytes: Data) -> Data {
        var stream = Data([0x78, 0x01])
        var (a, b) = (UInt32(1), UInt32(0))
        for start in stride(from: 0, to: bytes.count, by: 65_535) {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let length = UInt16(block.count)
            stream.append(block.endIndex == bytes.count ? 1 : 0)
            for number in [length, ~length] { stream += [UInt8(number & 255), UInt8(number >> 8)] }
            stream += block
            for byte in block { (a, b) = ((a + UInt32(byte)) % 65_521, (b + a + UInt32(byte)) % 65_521) }
        }
        return stream + (b << 16 | a).bigEndianBytes
    }

    private func profile(from chunk: Data) throws -> Data? {
        var list = ChunkList(try file("display-p3"))
        list.chunks[1].data = Array(chunk)
        return try list.file.reading { PNGColors.profile(in: $0) }
    }

    @Test func corruptProfilesAreIgnored() throws {
        let name = Data("x\0\0".utf8)
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let whole = name + stored(content)
        #expect(try profile(from: whole) == content)
        #expect(try profile(from: Data()) == nil)
        #expect(try profile(from: Data(repeating: 65, count: 200)) == nil)
        #expect(try profile(from: name) == nil)
        #expect(try profile(from: Data("x\0\u{1}".utf8) + stored(content)) == nil)
        for end in [4, 5, 9, 70_000, whole.count - 4, whole.count - 1] {
            #expect(try profile(from: whole.prefix(end)) == nil, "\(end) bytes")
        }
        var wrong = whole
        wrong[wrong.count - 1] ^= 1
        #expect(try profile(from: wrong) == nil)
        // A file with such a profile is still decoded.
        var list = ChunkList(try file("display-p3"))
        list.chunks[1].data = Array(name + stored(Data(repeating: 9, count: 300)))
        let plain = try PNGCodec().decode(list.file, minimumSize: nil)
        list.chunks.remove(at: 1)
        #expect(try Samples.all(plain) == Samples.all(PNGCodec().decode(list.file, minimumSize: nil)))
    }

    @Test func profilesAboveTheLimitAreNotExpanded() throws {
        let zeroes = Data(count: ImageLimits.maximumMetadataBytes + (1 << 15))
        var deflated = Data()
        try zeroes.withUnsafeBytes { bytes throws in
            let start = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            let stream = PNGDeflate(.whole)
            try stream.append(#require(start), count: bytes.count, isLast: true, to: &deflated)
        }
        #expect(deflated.count < 200_000)
        #expect(try profile(from: Data("x\0\0".utf8) + deflated) == nil)
    }
}

extension PNGColors {
    /// The profile that decoding uses.
    fileprivate static func profile(in reader: ByteReader) -> Data? {
        guard case .profile(let file) = PNGColors(in: reader) else { return nil }
        return file
    }
}
