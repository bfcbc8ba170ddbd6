import Foundation
import KingfisherWebP
import TestHelpers
import Testing

@Suite struct StillEncodingTests {
    private let codec = WebPCodec()
    private let lossless = ImageEncodingOptions(isLossless: true)

    @Test(arguments: [(1, 1), (1, 9), (17, 13), (64, 48)])
    func losslessEncodingPreservesEverySample(width: Int, height: Int) throws {
        var samples = Samples.noise(width * height * 4)
        // Colours of fully transparent pixels are preserved as well.
        for pixel in stride(from: 0, to: samples.count, by: 12) { samples[pixel + 3] = 0 }
        let file = try codec.encode(.make(samples, width: width), options: lossless)
        #expect(try Libwebp.samples(file) == samples)
        #expect(try Libwebp.isLossless(file))
    }

    @Test(
        arguments: [
            (.gray8, [200], [200, 200, 200, 255]),
            (PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque), [51_540], [201, 201, 201, 255]),
            (PixelFormat(layout: .grayAlpha, alpha: .straight), [10, 128], [10, 10, 10, 128]),
            (PixelFormat(layout: .grayAlpha, alpha: .premultiplied), [20, 85], [60, 60, 60, 85]),
            (
                PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight), [51_400, 25_700],
                [200, 200, 200, 100]
            ),
            (.rgba8Opaque, [1, 2, 3, 255], [1, 2, 3, 255]),
            (.rgba8Straight, [9, 8, 7, 0], [9, 8, 7, 0]),
            (.rgba8Premultiplied, [20, 40, 85, 85], [60, 120, 255, 85]),
            (
                PixelFormat(layout: .rgba, depth: .sixteen, alpha: .premultiplied),
                [10_280, 20_560, 30_840, 51_400], [51, 102, 153, 200]
            ),
        ] as [(PixelFormat, [Int], [UInt8])])
    func everyPixelFormatIsEncoded(format: PixelFormat, pixel: [Int], expected: [UInt8]) throws {
        let pixels = try PixelBuffer.make(
            Array(repeating: pixel, count: 15).flatMap { $0 }, width: 5, format: format)
        let written = try Libwebp.samples(codec.encode(pixels, options: lossless))
        #expect(written == Samples.plain(expected, 5, 3))
        let near = try Libwebp.samples(codec.encode(pixels, options: ImageEncodingOptions()))
        #expect(near.indices.allSatisfy { $0 % 4 != 3 || near[$0] == expected[3] })
        #expect(expected[3] == 0 || Samples.distance(near, Samples.plain(expected, 5, 3)) < 3)
    }

    @Test func higherQualityGivesCloserPixelsAndLargerFiles() throws {
        let samples = zip(Samples.slope(96, 64), Samples.noise(96 * 64 * 4)).map {
            UInt8(clamping: Int($0) + Int($1) / 12)
        }
        let pixels = try PixelBuffer.make(samples, width: 96, format: .rgba8Opaque)
        var (size, distance) = (0, Double.infinity)
        for quality in [-1, 0.3, 0.6, 0.85, 1] {
            let file = try codec.encode(pixels, options: .init(quality: quality))
            let near = try Samples.distance(Libwebp.samples(file), samples)
            #expect(try file.count > size && near < distance && !Libwebp.isLossless(file))
            (size, distance) = (file.count, near)
        }
        #expect(distance < 3)
        // NaN and qualities above 1 count as 1.
        for quality in [Double.nan, 7] {
            #expect(try codec.encode(pixels, options: .init(quality: quality)).count == size)
        }
    }

    @Test func lossyEncodingPreservesAlphaExactly() throws {
        let samples = Samples.slope(40, 30) { x, y in (x * 7 + y * 13) % 256 }
        let file = try codec.encode(.make(samples, width: 40), options: .init(quality: 0.5))
        let written = try Libwebp.samples(file)
        #expect(written.indices.allSatisfy { $0 % 4 != 3 || written[$0] == samples[$0] })
        #expect(try !Libwebp.isLossless(file))
    }

    @Test func rowPaddingIsNotEncoded() throws {
        // Rows of 5 pixels have 20 bytes, with a stride of 64.
        let samples = Samples.noise(5 * 4 * 4)
        let files = try [UInt8(0), 255].map { padding in
            let pixels = try PixelBuffer(width: 5, height: 4, format: .rgba8Straight) { rows, bytesPerRow in
                rows.initializeMemory(as: UInt8.self, repeating: padding)
                for (index, sample) in samples.enumerated() {
                    rows[index / 20 * bytesPerRow + index % 20] = sample
                }
            }
            return try codec.encode(pixels, options: lossless)
        }
        #expect(files[0] == files[1])
        #expect(try Libwebp.samples(files[0]) == samples)
    }

    @Test(arguments: [true, false]) func equalImagesGiveEqualBytes(isLossless: Bool) throws {
        let options = ImageEncodingOptions(quality: 0.8, isLossless: isLossless)
        let samples = Samples.slope(64, 64) { x, y in (x + y) * 2 }
        #expect(
            try codec.encode(.make(samples, width: 64), options: options)
                == codec.encode(.make(samples, width: 64), options: options))
    }

    @Test(arguments: [true, false]) func sidesBeyondTheFormatAreErrors(isLossless: Bool) throws {
        let options = ImageEncodingOptions(isLossless: isLossless)
        func pixels(_ width: Int, _ height: Int) throws -> PixelBuffer {
            try PixelBuffer(width: width, height: height, format: .gray8, zeroed: true) { _, _ in }
        }
        for (width, height) in [(16_384, 1), (1, 16_384)] {
            #expect(throws: ImageCodecError.tooLarge(width: width, height: height)) {
                try codec.encode(pixels(width, height), options: options)
            }
        }
        let file = try codec.encode(pixels(16_383, 1), options: options)
        #expect(try Libwebp.samples(file).count == 16_383 * 4)
    }
}
