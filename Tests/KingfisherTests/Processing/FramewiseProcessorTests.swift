import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Animations processed with `processesAnimatedFrames`.
@Suite struct FramewiseProcessorTests {
    private func process(
        _ processor: any ImageProcessor, _ item: ImageProcessItem = .data(GreyFixtures.file),
        _ more: KingfisherOptionsInfo = []
    ) -> Image? {
        let options = KingfisherParsedOptionsInfo([.processor(processor), .processesAnimatedFrames] + more)
        return options.processor.process(item: item, options: options)
    }

    @Test("The first frame is processed immediately, the others on demand, with the original timing")
    func lazily() throws {
        let processor = GreyFixtures.lighter()
        let image = try #require(process(processor))
        #expect(processor.calls == 1 && image.grey == 101)
        #expect(image.images == nil && image.kf.imageFrameCount == 3)
        let source = try #require(image.kf.frameSource)
        #expect(source.loopCount == 5 && source.frameCount == 3)
        #expect((0..<3).map(source.duration(at:)) == GreyFixtures.durations)
        #expect(source.data == nil && image.kf.fileBytes == nil)
        #expect(source.frame(at: 2)?.samples(x: 0, y: 0)?.first == 103)
        #expect(processor.calls == 2)
        #expect(source.copy().frame(at: 1)?.samples(x: 0, y: 0)?.first == 102)
        #expect(processor.calls == 3 && processor.items.allSatisfy { $0 == .image })
        #expect(source.frame(at: 3) == nil && source.frame(at: -1) == nil)
    }

    @Test("Preloading processes all frames, which count towards the cost, with the original timing")
    func eagerly() throws {
        let processor = GreyFixtures.lighter()
        let image = try #require(process(processor, .data(GreyFixtures.file), [.preloadAllAnimationData]))
        #expect(image.greysInMemory == [101, 102, 103] && processor.calls == 3)
        #expect(image.kf.frameSource == nil && image.kf.imageFrameCount == 3)
        #expect(image.frameDurations == GreyFixtures.durations)
        #expect(image.cacheCost == 3 * 8 * 6 * 4)
        #expect(try #require(process(GreyFixtures.lighter())).cacheCost == 8 * 6 * 4)
    }

    @Test("Without the option, or with the first frame only, the result is a still")
    func still() throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 2, height: 2))
        let plain = KingfisherParsedOptionsInfo([.processor(crop)])
        let still = try #require(plain.processor.process(item: .data(GreyFixtures.file), options: plain))
        #expect(still.kf.frameSource == nil && still.images == nil)
        let first = try #require(process(crop, .data(GreyFixtures.file), [.onlyLoadFirstFrame]))
        #expect(first.kf.frameSource == nil && first.images == nil && first.grey == 1)
        let direct = crop.framewise.process(
            item: .data(GreyFixtures.file), options: KingfisherParsedOptionsInfo([.onlyLoadFirstFrame]))
        #expect(direct?.kf.frameSource == nil && direct?.pixels?.width == 2)
    }

    @Test("A chain processes frame by frame, and frames shrink after it")
    func chain() throws {
        let size = ResizingImageProcessor(referenceSize: CGSize(width: 4, height: 3))
        let image = try #require(process(GreyFixtures.lighter("a") |> size |> GreyFixtures.lighter("b")))
        #expect(image.size == CGSize(width: 4, height: 3))
        #expect(image.greysOnDemand == [201, 202, 203])
        let small = image.kf.frameSource?.frame(at: 1, maxSize: CGSize(width: 2, height: 2))
        #expect(small?.size == PixelSize(width: 2, height: 2) && small?.samples(x: 0, y: 0)?.first == 202)
    }

    @Test("Edits are applied to every frame")
    func edits() throws {
        let size = CGSize(width: 10, height: 10)
        let mark = Image(
            pixels: try #require(
                GreyFixtures.lighter().process(
                    item: .data(GreyFixtures.file), options: KingfisherParsedOptionsInfo(nil))?.pixels))
        let sizes: [(any ImageProcessor, PixelSize)] = [
            (RotationImageProcessor(quarterTurns: 1), PixelSize(width: 6, height: 8)),
            (FlippingImageProcessor(.vertical), PixelSize(width: 8, height: 6)),
            (PaddingImageProcessor(size: size), PixelSize(width: 10, height: 10)),
            (FocalCroppingImageProcessor(size: size, focus: .zero), PixelSize(width: 10, height: 10)),
            (SharpenImageProcessor(), PixelSize(width: 8, height: 6)),
            (WatermarkImageProcessor(mark, name: "m", margin: 4), PixelSize(width: 8, height: 6)),
        ]
        for (processor, size) in sizes {
            let image = try #require(process(processor))
            let source = try #require(image.kf.frameSource)
            #expect((0..<3).map(source.duration(at:)) == GreyFixtures.durations)
            for frame in 0..<3 {
                let pixels = try #require(source.frame(at: frame))
                #expect(pixels.size == size)
                #expect(pixels.samples(x: 5, y: 5)?.first == frame + 1)
            }
        }
    }

    @Test("A chain that preloads runs each processor once for each frame")
    func chainPreloads() throws {
        let (one, two) = (GreyFixtures.lighter("a"), GreyFixtures.lighter("b"))
        let image = try #require(process(one |> two, .data(GreyFixtures.file), [.preloadAllAnimationData]))
        #expect(image.greysInMemory == [201, 202, 203])
        #expect(one.calls == 3 && two.calls == 3)
    }

    @Test("The first processor decodes a custom format, and the next ones process its frames")
    func ownFormat() throws {
        let decoder = UnwrappingProcessor()
        let bytes = Data("wrapped".utf8) + GreyFixtures.file
        #expect(bytes.kf.imageFormat == .unknown)
        let image = try #require(process(decoder |> GreyFixtures.lighter(), .data(bytes)))
        #expect(image.greysOnDemand == [101, 102, 103])
        let all = process(decoder |> GreyFixtures.lighter(), .data(bytes), [.preloadAllAnimationData])
        #expect(all?.greysInMemory == [101, 102, 103])
        #expect(process(decoder, .data(bytes))?.kf.frameSource?.data == GreyFixtures.file)
        #expect(
            process(decoder, .data(bytes), [.preloadAllAnimationData])?.greysInMemory == [1, 2, 3])
    }

    @Test("A processor that returns the frame unchanged preserves the animation and its bytes")
    func unchangedFrames() throws {
        let image = try #require(
            process(CountingProcessor("same"), .data(GreyFixtures.file), [.scaleFactor(2)]))
        #expect(image.kf.frameSource?.data == GreyFixtures.file && image.scale == 2)
        #expect(image.kf.data(format: MotionCodec.shared.format) == GreyFixtures.file)
        let preloaded = process(
            CountingProcessor("same"), .data(GreyFixtures.file), [.preloadAllAnimationData])
        #expect(preloaded?.greysInMemory == [1, 2, 3])
        let small = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
        #expect(process(small)?.kf.frameSource?.data == GreyFixtures.file)
    }

    @Test("A changed orientation or rendering mode counts as processing")
    func sameSamples() throws {
        let turning = CountingProcessor("turning") { image in
            image.pixels.map { Image(pixels: $0, scale: image.scale, orientation: .right) }
        }
        let turned = try #require(process(turning))
        #expect(turned.size == CGSize(width: 6, height: 8) && turned.greysOnDemand == [1, 2, 3])
        #expect(turned.kf.frameSource?.frame(at: 1)?.size == PixelSize(width: 6, height: 8))
        let tinting = CountingProcessor("template") { $0.withRenderingMode(.alwaysTemplate) }
        let template = try #require(process(tinting))
        #expect(template.renderingMode == .alwaysTemplate && template.greysOnDemand == [1, 2, 3])
    }

    @Test(
        "With a view's size a custom format is decoded, then shrunk, then processed",
        arguments: [4, 2])
    func customFormatInView(side: Int) throws {
        let size = PixelSize(width: side * 2, height: side * 3 / 2)
        let display = ViewDisplay(
            size: CGSize(width: side, height: side), scaleFactor: 2, isVisible: true)
        let box = try #require(ViewPixelBox(display, contentMode: .scaleAspectFit))
        let lighter = CountingProcessor("lighter in the view") {
            $0.pixels?.size == size ? $0.filled(with: ($0.grey ?? 0) + 100) : nil
        }
        let chains: [(any ImageProcessor, [Int])] = [
            (UnwrappingProcessor(), [1, 2, 3]), (UnwrappingProcessor() |> lighter, [101, 102, 103]),
        ]
        for (processor, greys) in chains {
            let options = KingfisherParsedOptionsInfo([.processor(processor), .processesAnimatedFrames])
                .decoding(to: .box(box))
            let data = Data("wrapped".utf8) + GreyFixtures.file
            let image = try #require(options.processor.process(item: .data(data), options: options))
            #expect(image.pixels?.size == size && image.scale == 2)
            #expect(image.greysOnDemand == greys)
            #expect(image.kf.frameSource?.frame(at: 2)?.size == size)
        }
    }

    @Test("Processed preloaded frames are decoded again from their file and not retained")
    func preloadedOriginals() throws {
        let all = try Image.decode(GreyFixtures.file, options: ImageCreatingOptions(preloadAll: true))
        let made = try #require(process(GreyFixtures.lighter(), .image(all)))
        #expect(made.greysOnDemand == [101, 102, 103])
        #expect(made.kf.originalFrames?.data == GreyFixtures.file && made.cacheCost == 8 * 6 * 4)
        // Frames must not be taken from the file of another animation whose state was copied.
        let greys = [Image.filled(8, 6, with: 7), Image.filled(8, 6, with: 8)].compactMap { $0 }
        let other = try #require(Image.animatedImage(with: greys, duration: 3))
        all.kf.copyKingfisherState(to: other)
        #expect(process(GreyFixtures.lighter(), .image(other))?.greysOnDemand == [107, 108])
        // Durations that the caller set override those of the file.
        let slow = try Image.decode(
            GreyFixtures.file, options: ImageCreatingOptions(duration: 9, preloadAll: true))
        #expect(process(GreyFixtures.lighter(), .image(slow))?.kf.frameSource?.duration(at: 0) == 3)
    }

    @Test("Frames without a file are retained for the processor and count towards the cost")
    func costOfOriginals() throws {
        let greys = [7, 8, 9].compactMap { Image.filled(4, 4, with: $0) }
        let animation = try #require(Image.animatedImage(with: greys, duration: 3))
        let crop = CroppingImageProcessor(size: CGSize(width: 2, height: 2))
        let (frame, cropped) = (4 * 4 * 4, 2 * 2 * 4)
        #expect(process(crop, .image(animation))?.cacheCost == 3 * frame + cropped)
        let all = process(crop, .image(animation), [.preloadAllAnimationData])
        #expect(all?.cacheCost == 3 * frame + 3 * cropped)
    }

    @Test("A frame that is refused or has another size is missing; a refused first frame fails the image")
    func refused() throws {
        let image = try #require(process(GreyFixtures.refusing(2)))
        #expect(image.greysOnDemand == [101, -1, 103])
        #expect(
            process(GreyFixtures.refusing(2), .data(GreyFixtures.file), [.preloadAllAnimationData])?
                .greysInMemory
                == [101, 101, 103])
        #expect(process(GreyFixtures.refusing(1)) == nil)
        let uneven = CountingProcessor("uneven") { .filled($0.grey == 3 ? 2 : 8, 6, with: 9) }
        #expect(process(uneven)?.greysOnDemand == [9, 9, -1])
    }

    @Test("The scale and the size in points are those of the processed image")
    func scale() throws {
        let crop = CroppingImageProcessor(size: CGSize(width: 2, height: 2), anchor: .zero)
        let image = try #require(process(crop, .data(GreyFixtures.file), [.scaleFactor(2)]))
        #expect(image.scale == 2 && image.size == CGSize(width: 2, height: 2) && image.pixels?.width == 4)
        #expect(image.kf.frameSource?.frame(at: 1)?.width == 4)
    }

    @Test("Animations, first frames with their file, and stills are processed")
    func images() throws {
        let greys = [Image.filled(4, 4, with: 7), Image.filled(4, 4, with: 8)].compactMap { $0 }
        let animation = try #require(Image.animatedImage(with: greys, duration: 3))
        let made = try #require(process(GreyFixtures.lighter(), .image(animation)))
        #expect(made.greysOnDemand == [107, 108] && made.kf.frameSource?.duration(at: 1) == 1.5)
        let first = try Image.decode(GreyFixtures.file, options: ImageCreatingOptions(onlyFirstFrame: true))
        #expect(process(GreyFixtures.lighter(), .image(first))?.greysOnDemand == [101, 102, 103])
        let processor = GreyFixtures.lighter()
        let still = try #require(process(processor, .image(greys[0])))
        #expect(still.grey == 107 && still.kf.imageFrameCount == nil && processor.calls == 1)
        #expect(process(GreyFixtures.lighter(), .data(try TestImages.png))?.kf.imageFrameCount == nil)
        #expect(process(GreyFixtures.lighter(), .data(TestImages.garbage)) == nil)
    }

    @Test("An image that holds the frames of a GIF is decoded from the file")
    func gif() throws {
        let image = try #require(
            process(CroppingImageProcessor(size: CGSize(width: 3, height: 3)), .data(try TestImages.gif)))
        let source = try #require(image.kf.frameSource)
        #expect(source.frameCount == 6 && image.size == CGSize(width: 3, height: 3))
        #expect((0..<6).map(source.duration(at:)) == [0.1, 0.1, 0.02, 0.07, 1, 0.1])
        #expect((0..<6).allSatisfy { source.frame(at: $0)?.width == 3 })
    }

    @Test("Equal chains have one identifier regardless of their grouping")
    func identifiers() {
        let (a, b) = (CountingProcessor("a"), CountingProcessor("b"))
        let name = "com.onevcat.Kingfisher.FramewiseImageProcessor(a|>b)"
        #expect((a |> b).framewise.identifier == name)
        #expect((a |> b).framewise.framewise.identifier == name)
        #expect((a.framewise |> b.framewise).framewise.identifier == name)
        #expect((DefaultImageProcessor.default |> a).framewise.identifier.hasSuffix("(|>a)"))
        #expect(DefaultImageProcessor.default.framewise.identifier == "")
        #expect(
            DefaultImageProcessor.default.append(another: DefaultImageProcessor.default).framewise.identifier
                == "|>")
    }

    @Test("The options return the processor that makes the image")
    func options() {
        let a = CountingProcessor("a")
        var options = KingfisherParsedOptionsInfo([.processesAnimatedFrames, .processor(a)])
        #expect(options.processor.identifier == a.framewise.identifier)
        options.processor = options.processor
        #expect(options.processor.identifier == a.framewise.identifier)
        options.onlyLoadFirstFrame = true
        #expect(options.processor.identifier == "a")
        options = KingfisherParsedOptionsInfo([.processor(a)])
        #expect(options.processor.identifier == "a")
        let builder = KF.url(Bench.freshURL()).setProcessor(a).processesAnimatedFrames()
            .appendProcessor(CountingProcessor("b"))
        #expect(builder.options.processor.identifier == (a |> CountingProcessor("b")).framewise.identifier)
        #expect(builder.processesAnimatedFrames(false).options.processor.identifier == "a|>b")
    }
}

/// Decodes a file after the word "wrapped", which no codec recognizes.
private struct UnwrappingProcessor: ImageProcessor {
    let identifier = "unwrapping"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> Image? {
        guard case .data(let data) = item else {
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
        return DefaultImageProcessor.default.process(item: .data(Data(data.dropFirst(7))), options: options)
    }
}
