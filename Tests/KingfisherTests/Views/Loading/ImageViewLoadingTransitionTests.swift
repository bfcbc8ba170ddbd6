import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite @MainActor struct ImageViewLoadingTransitionTests {
    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let fade: KingfisherOptionsInfo = [.transition(.fade(2))]
    var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    /// Advances the clock to the end of the running fade.
    private func finishFade() {
        renderer.advance(view, by: 2)
    }

    @Test("A downloaded image fades in from the placeholder, and the completion waits for the end")
    func network() async throws {
        let placeholder = try Image.blank()
        let load = rig.load(placeholder: placeholder, fade)
        _ = try await renderer.animations.first()
        let transition = try #require(view.runningTransition)
        #expect(transition.originImage === placeholder && transition.image === view.image)
        #expect(view.image?.size == TestImages.pngSize && view.kf.placeholder == nil)

        renderer.advance(view, by: 1.5)
        await passMainQueue()
        #expect(view.transitionProgress == 0.75 && load.outcomes.count == 0)
        renderer.advance(view, by: 0.5)
        #expect(load.outcomes.count == 1 && view.runningTransition == nil)
        #expect(try await load.result().get().image === view.image)
    }

    @Test("An image of a provider fades in")
    func provider() async throws {
        let load = rig.load(.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")), fade)
        _ = try await renderer.animations.first()
        #expect(load.outcomes.count == 0)
        finishFade()
        #expect(try await load.result().get().cacheType == .none)
    }

    /// The minimal view that can be a placeholder.
    private final class PlaceholderView: View, Placeholder {}

    @Test(
        "A placeholder view is shown until the fade starts, and only if there is no current image",
        arguments: [CacheType.none, .memory, .disk])
    func viewAsPlaceholder(type: CacheType) async throws {
        let options = fade + [.forceTransition, .keepCurrentImageWhileLoading]
        let urls = [Bench.freshURL(), Bench.freshURL()]
        if type != .none { try await rig.storeOnDisk(urls[0], urls[1]) }
        if type == .memory { for url in urls { _ = try await rig.bench.retrieve(url).get() } }
        let placeholderView = PlaceholderView()
        // Without a current image the placeholder is shown; memory hits complete synchronously.
        let first = await start(urls[0], placeholder: placeholderView, options, at: type) {
            #expect(placeholderView.superview === view && view.image == nil)
            #expect(view.kf.placeholder as? PlaceholderView === placeholderView)
        }
        _ = try await renderer.animations.first()
        let image = try #require(view.image)
        #expect(placeholderView.superview == nil && view.kf.placeholder == nil && first.outcomes.count == 0)
        #expect(view.runningTransition?.image === image)
        finishFade()
        let result = try await first.result().get()
        #expect(result.image === image && result.cacheType == type)

        // A current image stays, and the next one fades in over it.
        let second = await start(urls[1], placeholder: placeholderView, options, at: type) {
            #expect(placeholderView.superview == nil && view.image === image && view.kf.placeholder == nil)
        }
        _ = try await renderer.animations.first(2)
        #expect(view.runningTransition?.originImage === image && view.image !== image)
        #expect(placeholderView.superview == nil && second.outcomes.count == 0)
        finishFade()
        #expect(try await second.result().get().image === view.image)
        #expect(view.runningTransition == nil && view.subviews.isEmpty)
    }

    /// Starts a load, and inspects the view before the image is shown.
    private func start(
        _ url: URL, placeholder: any Placeholder, _ options: KingfisherOptionsInfo, at type: CacheType,
        whileLoading look: () -> Void
    ) async -> ImageViewLoadingRig.Load {
        guard type == .none else { return rig.load(url, placeholder: placeholder, options) }
        let load = await rig.hold { rig.load(url, placeholder: placeholder, options) }
        look()
        rig.bench.stub.release()
        return load
    }

    @Test("Without the option, and after a failure, no transition runs")
    func none() async throws {
        _ = try await rig.load().result().get()
        let broken = try Bench(serving: TestImages.garbage)
        let load = rig.load(Bench.freshURL(), fade + [.downloader(broken.downloader)])
        #expect(try await load.result().failure != nil)
        #expect(renderer.animations.count == 0 && view.runningTransition == nil)
    }

    @Test("The indicator is hidden when the fade starts")
    func indicator() async throws {
        view.kf.indicatorType = .activity
        let load = rig.load(fade)
        _ = try await renderer.animations.first()
        #expect(view.kf.indicator?.view.isHidden == true)
        finishFade()
        _ = try await load.result().get()
    }

    @Test("The next load interrupts a fade, and both complete once with their own image")
    func nextLoad() async throws {
        let first = rig.load(fade)
        _ = try await renderer.animations.first()
        let shown = view.image
        let second = rig.load(Bench.freshURL(), fade)
        #expect(view.runningTransition == nil && view.image == nil)
        #expect(try await first.result().get().image === shown)
        _ = try await renderer.animations.first(2)
        finishFade()
        #expect(try await second.result().get().image === view.image)
    }

    @Test("A superseded image does not fade in")
    func superseded() async throws {
        let first = await rig.hold { rig.load(fade) }
        _ = rig.load(nil as Source?)
        rig.bench.stub.release()
        #expect(try await first.result().superseded?.result != nil)
        #expect(renderer.animations.count == 0)
    }

    @Test("A load in an invisible view completes without a clock")
    func unseen() async throws {
        renderer.canAnimate = false
        _ = try await rig.load(fade).result().get()
        #expect(view.image != nil)
    }
}
