import Foundation
import KingfisherWebP
import TestHelpers
import Testing

extension RegistryTests {
    /// `WebPProcessor` without a registered WebP codec.
    @Suite struct ProcessorTests {
        private let processor = WebPProcessor.default

        @Test func identifiersContainTheOptionsThatChangePixels() {
            #expect(processor.identifier == "WebPProcessor")
            #expect(WebPProcessor().identifier == "WebPProcessor")
            let sized = WebPProcessor(size: CGSize(width: 120, height: 80.5))
            #expect(sized.identifier == "WebPProcessor((120.0, 80.5))")
            #expect(
                (processor |> BlurImageProcessor(blurRadius: 2)).identifier
                    == "WebPProcessor|>com.onevcat.Kingfisher.BlurImageProcessor(2.0)")
        }

        @Test func decodesWebPUnlikeTheDefaultProcessor() throws {
            #expect(!ImageCodecs.formats.contains(.webP))
            #expect(DefaultImageProcessor.default.image(of: try Files.lossless) == nil)
            let image = try #require(processor.image(of: Files.lossless))
            #expect(try image.pixels?.straightSamples == Files.samples)
            #expect(image.size == CGSize(width: 40, height: 30) && image.kf.imageFrameCount == nil)
            let sharp = try #require(processor.image(of: Files.lossless, [.scaleFactor(2)]))
            #expect(sharp.size == CGSize(width: 20, height: 15) && sharp.scale == 2)
        }

        @Test func returnsDecodedImagesUnchanged() throws {
            let image = Image(pixels: try .make(Samples.colors[0], width: 24))
            let passed = processor.process(
                item: .image(image), options: KingfisherParsedOptionsInfo([.scaleFactor(3)]))
            #expect(passed === image)
        }

        @Test func otherFormatsAreDecodedAsByDefault() throws {
            let expected = DefaultImageProcessor.default.image(of: try Files.png, [.scaleFactor(2)])
            let image = processor.image(of: try Files.png, [.scaleFactor(2)])
            #expect(try image?.pixels?.straightSamples == expected?.pixels?.straightSamples)
            #expect(image?.size == expected?.size && image != nil)
            #expect(processor.image(of: try Files.gif)?.kf.imageFrameCount == 6)
        }

        @Test func corruptFilesGiveNoImage() throws {
            #expect(processor.image(of: Data("RIFF....WEBPVP8 ".utf8)) == nil)
            #expect(processor.image(of: try Files.lossless.dropLast(9)) == nil)
            #expect(processor.image(of: Data([1, 2, 3])) == nil && processor.image(of: Data()) == nil)
            #expect(
                WebPProcessor(size: CGSize(width: 5, height: 5)).image(of: try Files.lossy.prefix(60))
                    == nil)
        }

        @Test func composesWithOtherProcessors() throws {
            let chain = processor |> CroppingImageProcessor(size: CGSize(width: 8, height: 6), anchor: .zero)
            let image = try #require(chain.image(of: Files.lossless))
            let corner = (0..<6).flatMap { y in Files.samples[y * 160..<y * 160 + 32] }
            #expect(try image.pixels?.straightSamples == corner)
        }

        // MARK: Animations

        @Test func framesAreDecodedOnDemand() throws {
            let image = try #require(processor.image(of: Files.animation))
            let source = try #require(image.kf.frameSource)
            #expect(source.frameCount == 3 && source.loopCount == 4 && image.images == nil)
            #expect((0..<3).map { Int((source.duration(at: $0) * 1000).rounded()) } == [100, 200, 300])
            for index in [2, 0, 1] {
                #expect(try source.frame(at: index)?.straightSamples == Samples.colors[index])
            }
        }

        @Test func theFirstFrameOptionGivesAStill() throws {
            let image = try #require(processor.image(of: Files.animation, [.onlyLoadFirstFrame]))
            #expect(image.kf.frameSource == nil && image.images == nil && image.kf.imageFrameCount == 3)
            #expect(try image.pixels?.straightSamples == Samples.colors[0])
        }

        @Test func preloadingDecodesAllFrames() throws {
            let image = try #require(processor.image(of: Files.animation, [.preloadAllAnimationData]))
            #expect(try image.images?.map { try $0.pixels?.straightSamples } == Samples.colors)
            #expect(abs(image.duration - 0.6) < 1e-9)
        }

        // MARK: Size

        @Test func theSizeLimitsTheLongerSide() throws {
            let processor = WebPProcessor(size: CGSize(width: 10, height: 4))
            let small = try #require(processor.image(of: Files.lossy, [.scaleFactor(2)]))
            #expect(small.pixels?.size == PixelSize(width: 20, height: 15) && small.scale == 2)
            // The same applies to decoded images and to other formats.
            let image = try #require(WebPProcessor.default.image(of: Files.lossy))
            let shrunk = processor.process(
                item: .image(image), options: KingfisherParsedOptionsInfo([.scaleFactor(2)]))
            #expect(shrunk?.pixels?.size == PixelSize(width: 20, height: 15) && shrunk?.scale == 2)
            #expect(processor.image(of: try Files.png)?.pixels?.size == PixelSize(width: 10, height: 6))
        }

        @Test(arguments: [24.0, 12.0])
        func shrinksEveryFrame(side: Double) throws {
            let processor = WebPProcessor(size: CGSize(width: side, height: side)).framewise
            #expect(
                processor.identifier
                    == "com.onevcat.Kingfisher.FramewiseImageProcessor(WebPProcessor((\(side), \(side))))")
            let unregistered = try #require(processor.image(of: Files.animation))
            ImageCodecs.register(.webP)
            defer { ImageCodecs.unregister(.webP) }
            let registered = try #require(processor.image(of: Files.animation))
            let (width, height) = (Int(side), Int(side) * 2 / 3)
            for image in [unregistered, registered] {
                let source = try #require(image.kf.frameSource)
                #expect(source.frameCount == 3 && source.loopCount == 4)
                for (index, color) in Samples.colors.enumerated() {
                    let expected = Samples.plain(Array(color.prefix(4)), width, height)
                    #expect(try source.frame(at: index)?.straightSamples == expected)
                }
            }
            let still = processor.image(of: try Files.lossy)
            #expect(still?.pixels?.width == Int(side) && still?.isStill == true)
        }

        @Test func smallerImagesKeepTheirSize() throws {
            let large = WebPProcessor(size: CGSize(width: 400, height: 400))
            #expect(try large.image(of: Files.lossless)?.pixels?.straightSamples == Files.samples)
            let small = try #require(
                WebPProcessor(size: CGSize(width: 12, height: 12)).image(of: Files.animation))
            #expect(small.kf.frameSource == nil)
            #expect(try small.pixels?.straightSamples == Samples.plain([255, 0, 0, 255], 12, 8))
        }
    }
}
