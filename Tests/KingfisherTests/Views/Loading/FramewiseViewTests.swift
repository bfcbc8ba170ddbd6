import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Processed animations in views, and together with `.decodesToViewSize`.
@Suite @MainActor struct FramewiseViewTests {
    private let rig: ImageViewLoadingRig
    private let renderer = RecordingRenderer()
    private let seen = Locked<Set<PixelSize>>([])
    private let processor: CountingProcessor

    init() throws {
        rig = ImageViewLoadingRig(try Bench(serving: GreyFixtures.file))
        processor = CountingProcessor("sized") { [seen] image in
            if let size = image.pixels?.size { seen.withLock { _ = $0.insert(size) } }
            return image.filled(with: (image.grey ?? 0) + 100)
        }
    }

    private var options: KingfisherOptionsInfo { [.processor(processor), .processesAnimatedFrames] }

    private func show(_ view: ImageView, side: CGFloat, scale: CGFloat = 1) {
        renderer.display = ViewDisplay(
            size: CGSize(width: side, height: side), scaleFactor: scale, isVisible: true)
        view.renderer = renderer
        view.displayDidChange()
    }

    @Test("A plain view has all processed frames, also after an animated view loaded them on demand")
    func plainAfterAnimated() async throws {
        let animated = AnimatedImageView()
        _ = try await rig.load(in: animated, options).result().get()
        #expect(animated.image?.greysOnDemand == [101, 102, 103] && animated.animator != nil)
        _ = try await rig.load(options).result().get()
        #expect(rig.view.image?.greysInMemory == [101, 102, 103])
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("Frames are shrunk to the view before they are processed, as stills are")
    func viewSize() async throws {
        rig.view.contentMode = .scaleAspectFit
        show(rig.view, side: 2, scale: 2)
        _ = try await rig.load(options + [.decodesToViewSize, .waitForCache]).result().get()
        let image = try #require(rig.view.image)
        #expect(image.greysInMemory == [101, 102, 103] && image.scale == 2)
        #expect(image.pixels?.size == PixelSize(width: 4, height: 3))
        #expect(seen.withLock { $0 } == [PixelSize(width: 4, height: 3)])
    }

    @Test("A new scale factor renews the frames from the original on disk")
    func renewal() async throws {
        rig.view.contentMode = .scaleAspectFit
        show(rig.view, side: 2)
        _ = try await rig.load(options + [.decodesToViewSize, .waitForCache]).result().get()
        #expect(rig.view.image?.pixels?.width == 2)
        let first = rig.view.image
        show(rig.view, side: 2, scale: 2)
        #expect(await poll { rig.view.image !== first })
        #expect(rig.view.image?.pixels?.width == 4 && rig.view.image?.greysInMemory == [101, 102, 103])
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("Without a processor the frames are stored in full size, and the player shrinks them")
    func noProcessor() async throws {
        let view = AnimatedImageView()
        show(view, side: 2)
        _ = try await rig.load(in: view, [.decodesToViewSize, .processesAnimatedFrames]).result().get()
        #expect(view.image?.kf.frameSource?.data == GreyFixtures.file)
        #expect(view.image?.pixels?.size == PixelSize(width: 8, height: 6))
    }

    @Test("The option and the property give one processor identifier")
    func sameKey() throws {
        let display = ViewDisplay(size: CGSize(width: 2, height: 2), scaleFactor: 1, isVisible: true)
        let box = try #require(ViewPixelBox(display, contentMode: .scaleAspectFit))
        let byOption = KingfisherParsedOptionsInfo(options).decoding(to: .box(box))
        let byProperty = KingfisherParsedOptionsInfo([.processor(processor.framewise)])
            .decoding(to: .box(box))
        #expect(byOption.processor.identifier == byProperty.processor.identifier)
        #expect(
            byOption.processor.identifier.contains("FramewiseImageProcessor(com.onevcat.Kingfisher.ViewSize"))
        #expect(byOption.processor.identifier.hasSuffix("|>sized)"))
        var first = byOption
        first.onlyLoadFirstFrame = true
        #expect(!first.processor.identifier.contains("Framewise"))
    }

    @Test("Decoders are charged for the file's frames, not for the smaller processed ones")
    func decoderBytes() throws {
        let small = ResizingImageProcessor(referenceSize: CGSize(width: 1, height: 1))
        let options = KingfisherParsedOptionsInfo([.processor(small |> processor), .processesAnimatedFrames])
        let image = try #require(options.processor.process(item: .data(GreyFixtures.file), options: options))
        let source = try #require(image.kf.frameSource)
        let file = try #require(try Image.decode(GreyFixtures.file).pixels)
        #expect(image.pixels?.height == 1)
        #expect(FrameDecoders(source, of: image, size: nil).bytesEach == 2 * file.byteCount)
        #expect(FrameDecoders(source.playingCopy, of: image, size: nil).bytesEach == 2 * file.byteCount)
    }
}
