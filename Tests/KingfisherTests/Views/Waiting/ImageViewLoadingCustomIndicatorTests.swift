import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// V-8 for image indicators and custom indicators.
@Suite @MainActor struct ImageViewLoadingCustomIndicatorTests {
    /// An indicator that does not show or hide itself.
    private final class Bar: Indicator {
        let view: IndicatorView = View()
        var calls: [String] = []
        var size: IndicatorSizeStrategy = .full
        var centerOffset = CGPoint.zero

        func startAnimatingView() { calls.append("start") }
        func stopAnimatingView() { calls.append("stop") }
        func sizeStrategy(in imageView: ImageView) -> IndicatorSizeStrategy { size }
    }

    private let rig: ImageViewLoadingRig
    private let renderer = RecordingRenderer()
    private var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    @Test(
        "A custom indicator is hidden initially, visible while loading, hidden before the completion",
        .behaviours("V-8"),
        arguments: [false, true])
    func visibility(fails: Bool) async throws {
        let bench = fails ? try Bench(serving: TestImages.garbage) : rig.bench
        let bar = Bar()
        view.kf.indicatorType = .custom(indicator: bar)
        #expect(bar.view.isHidden && bar.view.superview === view && bar.calls.isEmpty)
        #expect(view.kf.indicator as? Bar === bar)
        bench.stub.hold()
        let atCompletion = Inbox<Bool>()
        view.kf.setImage(
            with: bench.url, options: [.downloader(bench.downloader), .targetCache(bench.cache)]
        ) { _ in
            atCompletion.put(bar.view.isHidden)
        }
        #expect(!bar.view.isHidden && bar.calls == ["start"])
        bench.stub.release()
        #expect(try await atCompletion.first() == true)
        #expect(bar.calls == ["start", "stop"])
        view.kf.indicatorType = .none
        #expect(bar.view.superview == nil && view.kf.indicator == nil)
    }

    @Test("The size of an indicator is requested when a load starts and when the view's size changes")
    func layout() async throws {
        let bar = Bar()
        bar.centerOffset = CGPoint(x: 3, y: -4)
        view.kf.indicatorType = .custom(indicator: bar)
        #expect(bar.view.placement == .fill)
        bar.size = .intrinsicSize
        _ = await rig.hold { rig.load() }
        #expect(bar.view.placement == .center(offset: CGPoint(x: 3, y: -4)))
        bar.size = .size(CGSize(width: 7, height: 8))
        view.displayDidChange()
        await passMainQueue()
        #expect(
            bar.view.placement
                == .center(size: CGSize(width: 7, height: 8), offset: CGPoint(x: 3, y: -4)))
        rig.bench.stub.release()
    }

    @Test("An animated image indicator plays while loading", .behaviours("V-8"))
    func animatedImage() async throws {
        view.kf.indicatorType = .image(imageData: try TestImages.gif)
        let indicator = try #require(view.kf.indicator?.view as? AnimatedImageView)
        indicator.renderer = RecordingRenderer()
        #expect(indicator.isHidden && !indicator.isAnimating && indicator.superview === view)
        #expect(indicator.placement == .center())
        let load = await rig.hold { rig.load() }
        #expect(!indicator.isHidden && indicator.isAnimating && indicator.nextFrameTime != nil)
        rig.bench.stub.release()
        _ = try await load.result().get()
        #expect(indicator.isHidden && !indicator.isAnimating && indicator.nextFrameTime == nil)
    }

    @Test("A still image indicator is shrunk to a smaller view") func stillImage() async throws {
        view.kf.indicatorType = .image(imageData: try TestImages.png)
        let indicator = try #require(view.kf.indicator?.view as? AnimatedImageView)
        #expect(indicator.image?.size == TestImages.pngSize && indicator.isHidden)
        // A smaller view shrinks it.
        renderer.display.size = CGSize(width: 20, height: 20)
        let load = await rig.hold { rig.load() }
        #expect(!indicator.isHidden && indicator.placement == .fill)
        rig.bench.stub.release()
        _ = try await load.result().get()
        #expect(indicator.isHidden)
    }

    @Test("Image indicators of the same data share the image") func sharedImages() throws {
        let (one, other) = (ImageView(), ImageView())
        for view in [one, other] { view.kf.indicatorType = .image(imageData: try TestImages.gif) }
        let images = [one, other].map { ($0.kf.indicator?.view as? AnimatedImageView)?.image }
        #expect(images[0] != nil && images[0] === images[1])
    }

    @Test("Undecodable data makes no indicator") func undecodableData() throws {
        view.kf.indicatorType = .image(imageData: TestImages.garbage)
        #expect(view.kf.indicator == nil && view.subviews.isEmpty)
    }
}
