import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

@Suite("AVIF: writing", .enabled(if: Tools.arePresent))
struct EncodingTests {
    private let codec = AVIFCodec()

    @Test("Lossless files give avifdec the same pixels", arguments: [false, true])
    func lossless(_ alpha: Bool) throws {
        let image = try TestImages.gradients(65, 49, alpha: alpha)
        let file = try codec.encode(image, options: ImageEncodingOptions(isLossless: true))
        #expect(try PixelGrid(Tools.decode(file)) == PixelGrid(image))
        #expect(try PixelGrid(decode(file)) == PixelGrid(image))
    }

    @Test("Lossless 16 bits are 12 bits, rounded")
    func twelveBits() throws {
        let image = try TestImages.gradients(depth: .sixteen)
        let file = try codec.encode(image, options: ImageEncodingOptions(isLossless: true))
        #expect(try codec.header(of: file).bitsPerComponent == 12)
        #expect(try #require(try PixelGrid(Tools.decode(file)).distance(to: PixelGrid(image))) <= 8 + 1)
        let lossy = try codec.encode(image, options: ImageEncodingOptions(quality: 0.8))
        #expect(try codec.header(of: lossy).bitsPerComponent == 10)
    }

    @Test("A higher quality gives a larger file that is nearer")
    func quality() throws {
        let image = try TestImages.gradients(128, 96)
        let files = try [0.2, 0.5, 0.8, 0.95].map {
            try codec.encode(image, options: ImageEncodingOptions(quality: $0))
        }
        #expect(files.map(\.count) == files.map(\.count).sorted())
        let decibels = try files.map { try PixelGrid(Tools.decode($0)).decibels(to: PixelGrid(image)) }
        #expect(decibels == decibels.sorted())
        #expect(decibels[3] > 35)
    }

    @Test("Equal pixels give equal bytes, and more effort another file")
    func reproducible() throws {
        let image = try TestImages.gradients(alpha: true)
        let options = ImageEncodingOptions(quality: 0.6)
        #expect(try codec.encode(image, options: options) == codec.encode(image, options: options))
        let efforts = try [0, 5].map { effort in
            try codec.encode(image, options: ImageEncodingOptions(quality: 0.6, effort: effort))
        }
        #expect(efforts[0] != efforts[1])
    }

    @Test("Chroma has the resolution of the options", arguments: ChromaSubsampling.allCases)
    func chroma(_ chroma: ChromaSubsampling) throws {
        let image = try TestImages.gradients(alpha: false)
        let file = try codec.encode(image, options: ImageEncodingOptions(quality: 0.6, chroma: chroma))
        // AV1CodecConfigurationRecord (AV1 in ISOBMFF, 2.3.3): subsampling in x and y.
        let box = try #require(file.range(of: Data("av1C".utf8)))
        let bits = file[box.upperBound + 2] >> 2 & 3
        #expect(bits == (chroma == .full ? 0 : chroma == .half ? 2 : 3))
    }

    @Test("Grayscale is stored without chroma")
    func grayscale() throws {
        let gray = try TestImages.gradients().grayscale()
        let file = try codec.encode(gray, options: ImageEncodingOptions(isLossless: true))
        #expect(try PixelGrid(decode(file)) == PixelGrid(gray))
    }

    @Test("Animations keep frames, delays and loops", arguments: [0, 1, 3])
    func animation(_ loops: Int) throws {
        let frames = ListedFrames(
            frames: try SequenceTests.frames(3), durations: [0.04, 0.1, 0.25], loopCount: loops)
        let options = ImageEncodingOptions(isLossless: true)
        let file = try #require(try codec.encode(frames, options: options))
        #expect(try codec.encode(frames, options: options) == file)
        let timing = try #require(try codec.header(of: file).timing)
        #expect(timing == AnimationTiming(durations: [0.04, 0.1, 0.25], loopCount: loops))
        let source = try #require(try codec.frameSource(for: file))
        for number in 0..<3 {
            #expect(try PixelGrid(Tools.decode(file, frame: number)) == PixelGrid(frames.frames[number]))
            #expect(
                try PixelGrid(#require(source.frame(at: number, maxSize: nil)))
                    == PixelGrid(frames.frames[number]))
        }
    }

    @Test("Animations with alpha keep it and their loops")
    func animationWithAlpha() throws {
        let frames = ListedFrames(
            frames: try SequenceTests.frames(2, alpha: true), durations: [0.1, 0.1], loopCount: 2)
        let file = try #require(try codec.encode(frames, options: ImageEncodingOptions(isLossless: true)))
        #expect(try codec.header(of: file).timing?.loopCount == 2)
        #expect(try PixelGrid(Tools.decode(file, frame: 1)) == PixelGrid(frames.frames[1]))
    }
}

extension PixelBuffer {
    /// The red channel as luminance.
    fileprivate func grayscale() throws -> PixelBuffer {
        let samples = allSamples
        return try .make(
            stride(from: 0, to: samples.count, by: 4).map { samples[$0] }, width: width, format: .gray8)
    }
}
