import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite("JPEG XL: writing", .enabled(if: Tools.arePresent))
struct EncodingTests {
    private let codec = JPEGXLCodec()

    @Test("Lossless files give djxl the same pixels", arguments: ReferenceTests.kinds)
    func lossless(_ format: PixelFormat) throws {
        let image = try Samples.image(of: format, 265, 49)
        let file = try codec.encode(image, options: ImageEncodingOptions(isLossless: true))
        #expect(try PixelGrid(Tools.decode(file)).distance(to: PixelGrid(image)) == 0)
        let pixels = try decode(file)
        #expect(pixels.format == format)
        #expect(try PixelGrid(pixels) == PixelGrid(image))
        #expect(try codec.header(of: file).isLossless)
    }

    @Test("A higher quality gives a larger file that is nearer", arguments: ReferenceTests.kinds)
    func quality(_ format: PixelFormat) throws {
        let image = try Samples.image(of: format, 265, 149)
        let files = try [0, 0.2, 0.5, 0.8, 0.95, 1].map {
            try codec.encode(image, options: ImageEncodingOptions(quality: $0))
        }
        #expect(files.map(\.count) == files.map(\.count).sorted())
        let peak = Double(format.depth == .eight ? 255 : 65_535)
        let decibels = try files.map {
            try PixelGrid(Tools.decode($0)).decibels(to: PixelGrid(image), peak: peak)
        }
        #expect(decibels[5] > 36 && decibels[5] > decibels[0] + 6, "\(decibels)")
        for file in files { #expect(try codec.header(of: file).isLossless == false) }
    }

    @Test("Premultiplied pixels are stored with straight alpha")
    func premultiplied() throws {
        let image = try TestImages.gradients(alpha: true)
        let file = try codec.encode(
            image.converted(to: .rgba8Premultiplied), options: ImageEncodingOptions(isLossless: true))
        let expected = try image.converted(to: .rgba8Premultiplied).converted(to: .rgba8Straight)
        #expect(try PixelGrid(Tools.decode(file)) == PixelGrid(expected))
    }

    @Test("Equal pixels give equal bytes, and more effort another file")
    func reproducible() throws {
        let image = try Samples.noise(130, 90)
        let options = ImageEncodingOptions(quality: 0.6)
        #expect(try codec.encode(image, options: options) == codec.encode(image, options: options))
        let slow = try codec.encode(image, options: ImageEncodingOptions(quality: 0.6, effort: 8))
        let fast = try codec.encode(image, options: ImageEncodingOptions(quality: 0.6, effort: 0))
        #expect(slow != fast && slow.count < fast.count)
    }

    @Test("Animations keep frames, delays and loops, here and in djxl", arguments: [0, 1, 3], [false, true])
    func animation(_ loops: Int, _ alpha: Bool) throws {
        let frames = try (0..<4).map { try TestImages.gradients(alpha: alpha, phase: $0) }
        let listed = ListedFrames(frames: frames, durations: [0.04, 0.1, 0.251, 1.003], loopCount: loops)
        let options = ImageEncodingOptions(isLossless: true)
        let file = try #require(try codec.encode(listed, options: options))
        #expect(try codec.encode(listed, options: options) == file)
        let header = try codec.header(of: file)
        #expect(header.hasAlpha == alpha && header.isLossless)
        #expect(header.timing == AnimationTiming(durations: listed.durations, loopCount: loops))
        let source = try #require(try codec.frameSource(for: file))
        let other = try #require(try Tools.frames(file))
        #expect(other.loopCount == loops)
        for index in [0, 3, 1, 2, 0] {
            #expect(
                try PixelGrid(#require(source.frame(at: index, maxSize: nil))) == PixelGrid(frames[index]))
            #expect(try PixelGrid(#require(other.frame(at: index, maxSize: nil))) == PixelGrid(frames[index]))
            #expect(abs(other.duration(at: index) - listed.durations[index]) < 0.000_1)
        }
        #expect(source.loopCount == loops)
    }

    @Test("A side above the format's limit is refused")
    func sides() throws {
        let wide = try PixelBuffer(width: (1 << 18) + 1, height: 1, format: .gray8, zeroed: true) { _, _ in }
        #expect(throws: ImageCodecError.tooLarge(width: wide.width, height: 1)) {
            try codec.encode(wide, options: ImageEncodingOptions())
        }
    }
}

@Suite("JPEG XL: JPEG files", .enabled(if: Tools.arePresent))
struct JPEGTests {
    @Test("A JPEG that cjxl packed is restored byte for byte", arguments: 1...8)
    func restored(_ number: Int) throws {
        let jpeg = try Fixtures.data(named: "JPEG/orientation-\(number).jpg")
        #expect(try JPEGXLFile.jpeg(in: Tools.encode(jpeg, "jpg")) == jpeg)
    }

    @Test("A JPEG that is packed here is smaller, decodes, and is restored by djxl and here")
    func packed() throws {
        let image = try Samples.noise(521, 515)
        let jpeg = try Tools.jpeg(image)
        let file = try JPEGXLFile.encoding(jpeg: jpeg)
        #expect(file.count < jpeg.count * 9 / 10)
        #expect(try JPEGXLFile.jpeg(in: file) == jpeg)
        #expect(try Tools.restore(file) == jpeg)
        let expected = try #require(CodecRegistry.builtIn.codec(for: .JPEG)).decode(jpeg, minimumSize: nil)
        #expect(try PixelGrid(decode(file)).decibels(to: PixelGrid(expected)) > 35)
    }

    @Test("Other files have no JPEG")
    func none() throws {
        #expect(try JPEGXLFile.jpeg(in: Tools.encode(TestImages.gradients(), "--container=1")) == nil)
        #expect(try JPEGXLFile.jpeg(in: Tools.encode(TestImages.gradients(), "-d", "1")) == nil)
        #expect(try JPEGXLFile.jpeg(in: Data("neither".utf8)) == nil)
    }

    @Test("Truncated and corrupt files fail, and memory is limited")
    func failures() throws {
        let jpeg = try Tools.jpeg(Samples.noise(300, 200))
        let file = try JPEGXLFile.encoding(jpeg: jpeg)
        for length in stride(from: 200, to: file.count - 1, by: 97) {
            let restored = try? JPEGXLFile.jpeg(in: file.prefix(length))
            #expect(restored == nil)
        }
        let context = DecodingContext(limits: ImageLimits(maximumFrameBytes: 1 << 20))
        #expect(throws: ImageCodecError.tooMuchMemory) {
            try context.run { try JPEGXLFile.jpeg(in: file) }
        }
        #expect(throws: ImageCodecError.self) { try JPEGXLFile.encoding(jpeg: jpeg.prefix(300)) }
        #expect(throws: ImageCodecError.self) { try JPEGXLFile.encoding(jpeg: Data("no JPEG".utf8)) }
    }
}
