import Foundation
import KingfisherWebP
import TestHelpers
import Testing

extension RegistryTests {
    /// `WebPCacheSerializer` without a registered WebP codec.
    @Suite struct SerializerTests {
        private let all = [
            ("default", WebPCacheSerializer.default), ("lossless", .lossless),
            ("lossy", .lossy(quality: 0.5)),
        ]

        private func image(_ file: Data) throws -> Image {
            try #require(WebPProcessor.default.image(of: file))
        }

        /// The result of a processor: other pixels, and no file.
        private func processed(_ file: Data) throws -> Image {
            let chain = WebPProcessor.default |> CroppingImageProcessor(size: CGSize(width: 20, height: 15))
            return try #require(chain.image(of: file))
        }

        @Test func theBytesOfTheServerAreStored() throws {
            for file in try [Files.lossy, Files.animation, Files.lossyAnimation] {
                for (name, serializer) in all {
                    #expect(try serializer.data(with: image(file), original: file) == file, "\(name)")
                    #expect(try serializer.data(with: image(file), original: nil) == file, "\(name)")
                }
            }
            let file = try Files.lossless
            #expect(try WebPCacheSerializer.default.data(with: image(file), original: file) == file)
            #expect(try WebPCacheSerializer.lossless.data(with: image(file), original: file) == file)
            for (_, serializer) in all { #expect(!serializer.originalDataUsed) }
        }

        @Test func aFirstFrameIsStoredWithTheWholeAnimation() throws {
            let first = try #require(
                WebPProcessor.default.image(of: Files.animation, [.onlyLoadFirstFrame]))
            for (name, serializer) in all {
                #expect(
                    try serializer.data(with: first, original: Files.animation) == Files.animation, "\(name)")
            }
        }

        @Test func theLossySerializerEncodesLosslessStillsAsLossy() throws {
            let file = try Files.lossless
            let written = try #require(
                WebPCacheSerializer.lossy(quality: 0.5).data(with: image(file), original: file))
            #expect(try !Libwebp.isLossless(written))
            #expect(try Samples.distance(Libwebp.samples(written), Files.samples) < 30)
        }

        @Test func processedImagesAreLosslessIfTheirFileIs() throws {
            for (file, isLossless) in try [(Files.lossless, true), (Files.lossy, false)] {
                let image = try processed(file)
                let written = try #require(WebPCacheSerializer.default.data(with: image, original: file))
                #expect(try Libwebp.isLossless(written) == isLossless)
                let near = try Samples.distance(
                    Libwebp.samples(written), #require(image.pixels).straightSamples)
                #expect(isLossless ? near == 0 : near < 10)
            }
        }

        @Test func serializersWithAnEncodingUseIt() throws {
            for file in try [Files.lossless, Files.lossy, Files.png] {
                let image = try processed(file)
                let samples = try #require(try image.pixels?.straightSamples)
                let exact = try #require(WebPCacheSerializer.lossless.data(with: image, original: file))
                #expect(try Libwebp.samples(exact) == samples)
                let sizes = try [0.1, 0.9].map { quality in
                    let written = try #require(
                        WebPCacheSerializer.lossy(quality: quality).data(with: image, original: file))
                    #expect(try !Libwebp.isLossless(written))
                    return written.count
                }
                #expect(sizes[0] < sizes[1])
            }
        }

        @Test func otherFormatsAreStoredUnchangedByDefault() throws {
            let serializer = WebPCacheSerializer.default
            let png = try image(Files.png)
            #expect(serializer.data(with: png, original: try Files.png)?.kf.imageFormat == .PNG)
            let gif = try image(Files.gif)
            #expect(serializer.data(with: gif, original: try Files.gif) == (try Files.gif))
            #expect(serializer.data(with: gif, original: nil) == (try Files.gif))
            // The original format of this image is unknown.
            let samples = Files.samples
            let unknown = Image(pixels: try .make(samples, width: 40))
            #expect(try Libwebp.samples(#require(serializer.data(with: unknown, original: nil))) == samples)
        }

        @Test(arguments: [[], [.onlyLoadFirstFrame], [.preloadAllAnimationData]] as [KingfisherOptionsInfo])
        func animationsOfOtherFormatsKeepAllFrames(options: KingfisherOptionsInfo) throws {
            let image = try #require(WebPProcessor.default.image(of: Files.gif, options))
            let written = try Libwebp.animation(
                #require(WebPCacheSerializer.lossless.data(with: image, original: Files.gif)))
            #expect(written.delays == [100, 100, 20, 70, 1000, 100])
        }

        @Test func storedFilesAreReadWithTheOptions() throws {
            let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])
            for (_, serializer) in all {
                let image = try #require(serializer.image(with: Files.lossless, options: options))
                #expect(try image.pixels?.straightSamples == Files.samples && image.scale == 2)
                let animation = serializer.image(with: try Files.animation, options: options)
                #expect(animation?.kf.frameSource?.frameCount == 3)
                let first = KingfisherParsedOptionsInfo([.onlyLoadFirstFrame])
                #expect(serializer.image(with: try Files.animation, options: first)?.kf.frameSource == nil)
                #expect(serializer.image(with: try Files.png, options: options)?.pixels?.width == 33)
                #expect(serializer.image(with: try Files.lossless.dropLast(9), options: options) == nil)
                #expect(serializer.image(with: Data([1, 2, 3]), options: options) == nil)
            }
        }
    }
}
