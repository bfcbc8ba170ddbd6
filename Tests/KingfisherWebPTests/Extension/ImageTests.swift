import Foundation
import KingfisherWebP
import TestHelpers
import Testing

extension RegistryTests {
    /// `Image(webPData:)`, `webPData` and `webPRepresentation` without a registered WebP codec.
    @Suite struct ImageTests {
        @Test func anUnchangedImageReturnsItsFile() throws {
            for file in try [Files.lossless, Files.lossy, Files.animation] {
                let image = try #require(Image(webPData: file))
                #expect(image.webPData == file)
                #expect(image.withRenderingMode(.alwaysTemplate).webPData == file)
            }
        }

        @Test func anAnimationReturnsItsFileAfterAProcessorCopiedItsState() throws {
            let image = try #require(Image(webPData: Files.animation))
            let made = Image(pixels: try .make(Files.samples, width: 40))
            image.kf.copyKingfisherState(to: made)
            #expect(try made.webPData == Files.animation)
        }

        @Test func stillsAreDecodedAndInvalidDataAreRefused() throws {
            let image = try #require(Image(webPData: Files.lossless, scale: 2))
            #expect(image.size == CGSize(width: 20, height: 15))
            #expect(try image.pixels?.straightSamples == Files.samples)
            #expect(Image(webPData: try Files.png) == nil && Image(webPData: Data()) == nil)
            #expect(Image(webPData: try Files.lossless.dropLast(9)) == nil)
        }

        @Test func animationsAreDecodedAndEncodedAgain() throws {
            let image = try #require(Image(webPData: Files.animation))
            #expect(image.kf.frameSource?.frameCount == 3)
            #expect(try image.kf.frameSource?.frame(at: 2)?.straightSamples == Samples.colors[2])
            let encoded = try Libwebp.animation(#require(image.kf.webPRepresentation(isLossless: true)))
            #expect(
                encoded.frames == Samples.colors && encoded.delays == [100, 200, 300]
                    && encoded.loopCount == 4)
        }

        @Test func imagesWithoutAFileAreEncodedLosslessly() throws {
            let image = Image(pixels: try .make(Files.samples, width: 40))
            #expect(try Libwebp.samples(#require(image.webPData)) == Files.samples)
            let colors = try Samples.colors.map { Image(pixels: try .make($0, width: 24)) }
            let animated = try #require(Image.animatedImage(with: colors, duration: 1))
            let written = try Libwebp.animation(#require(animated.webPData))
            #expect(written.frames == Samples.colors && written.delays == [333, 334, 333])
            #expect(Image().webPData == nil && Image().kf.webPRepresentation() == nil)
        }

        @Test func orientationIsApplied() throws {
            let image = Image(pixels: try .make(Files.samples, width: 40), orientation: .down)
            let turned = (0..<1200).reversed().flatMap { Files.samples[$0 * 4..<$0 * 4 + 4] }
            #expect(try Libwebp.samples(#require(image.webPData)) == turned)
        }

        @Test func theQualityMakesTheRepresentationLossy() throws {
            let image = try #require(Image(webPData: Files.lossless))
            let sizes = try [0.1, 0.5, 1].map { quality in
                let file = try #require(image.kf.webPRepresentation(quality: quality))
                #expect(try !Libwebp.isLossless(file))
                return file.count
            }
            #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
            #expect(try Libwebp.isLossless(#require(image.kf.webPRepresentation(isLossless: true))))
        }
    }
}
