import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// A plain image view plays preloaded frames.
@Suite @MainActor struct AnimationPlainViewTests {
    private let renderer = RecordingRenderer()
    private let view = ImageView()

    init() { view.renderer = renderer }

    private func look(after seconds: TimeInterval) -> Int? {
        renderer.advance(view, by: seconds)
        return view.image?.images?.firstIndex { $0 === view.displayedImage }
    }

    private func frames(_ count: Int, duration: TimeInterval) throws -> Image {
        try #require(Image.animatedImage(with: (0..<count).map { _ in try .blank() }, duration: duration))
    }

    @Test("An animated image plays with equal durations") func equalDurations() throws {
        view.image = try frames(4, duration: 2)
        #expect(view.isAnimating && view.nextFrameTime == 0.5)
        #expect(renderer.takeChanges().contains { if case .animation = $0 { true } else { false } })
        #expect(look(after: 0.4) == 0)
        #expect(look(after: 0.1) == 1)
        #expect(view.nextFrameTime == 1)
        #expect(look(after: 1.5) == 0)
        #expect(look(after: 0.5) == 1)
    }

    @Test("A preloaded file plays with its own delays") func fileDelays() throws {
        let options = ImageCreatingOptions(preloadAll: true)
        view.image = KingfisherWrapper<Image>.image(data: try TestImages.gif, options: options)
        var times: [TimeInterval] = []
        for index in 1...6 {
            let next = try #require(view.nextFrameTime)
            times.append(next - renderer.manualClock.now)
            #expect(look(after: next - renderer.manualClock.now) == index % 6)
        }
        for (time, delay) in zip(times, [0.1, 0.1, 0.02, 0.07, 1, 0.1]) { #expect(abs(time - delay) < 1e-9) }
    }

    @Test("A duration set by the caller is divided equally") func customDuration() throws {
        let options = ImageCreatingOptions(duration: 3, preloadAll: true)
        view.image = KingfisherWrapper<Image>.image(data: try TestImages.gif, options: options)
        #expect(view.nextFrameTime == 0.5)
        #expect(look(after: 2.75) == 3)
    }

    @Test("A hidden view pauses") func hiddenView() throws {
        view.image = try frames(4, duration: 4)
        #expect(look(after: 0.75) == 0)
        for hide in [{ view.isHidden = $0 }, show] as [@MainActor (Bool) -> Void] {
            hide(true)
            #expect(view.nextFrameTime == nil && view.isAnimating)
            #expect(look(after: 60) == 0)
            hide(false)
            #expect(view.nextFrameTime == renderer.manualClock.now + 0.25)
        }
        #expect(look(after: 0.25) == 1)
    }

    private func show(hidden: Bool) {
        renderer.display.isVisible = !hidden
        view.displayDidChange()
    }

    @Test("An animation stops and starts") func stopAndStart() throws {
        view.image = try frames(4, duration: 4)
        #expect(look(after: 1) == 1)
        view.stopAnimating()
        #expect(!view.isAnimating && view.nextFrameTime == nil)
        #expect(look(after: 1) == 1)
        view.startAnimating()
        #expect(look(after: 1) == 2)
    }

    @Test("A new image starts with its first frame") func newImage() throws {
        view.image = try frames(4, duration: 4)
        _ = look(after: 1.5)
        view.image = try frames(2, duration: 2)
        #expect(view.displayedImage === view.image?.images?.first && look(after: 0.75) == 0)
        view.image = try .blank()
        #expect(!view.isAnimating && view.nextFrameTime == nil && view.displayedImage === view.image)
    }

    @Test("An image of the initialiser plays when the view becomes visible") func initialImage() throws {
        let view = ImageView(image: try frames(2, duration: 2))
        view.renderer = renderer
        view.displayDidChange()
        #expect(view.isAnimating && view.nextFrameTime == 1)
    }

    @Test("An image with frames on demand shows its first frame") func framesOnDemand() throws {
        view.image = try TestImages.animation
        #expect(!view.isAnimating && view.nextFrameTime == nil && view.displayedImage === view.image)
    }

    @Test("A load has all frames unless only the first is requested", arguments: [false, true])
    func loadedFrames(onlyFirst: Bool) async throws {
        let rig = try ImageViewLoadingRig(Bench(serving: TestImages.gif))
        let image = try await rig.load(onlyFirst ? [.onlyLoadFirstFrame] : []).result().get().image
        #expect(image.images?.count == (onlyFirst ? nil : 6) && rig.view.image === image)
        #expect(rig.view.isAnimating == !onlyFirst)
    }
}
