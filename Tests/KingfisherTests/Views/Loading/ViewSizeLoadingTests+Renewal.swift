import Dispatch
import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// An image view that records layout notifications.
@MainActor final class LayoutProbe: ImageView {
    private(set) var isInLayout = false
    /// The number of image changes during `displayDidChange`.
    private(set) var changesInLayout = 0

    override var image: Image? {
        didSet { if isInLayout { changesInLayout += 1 } }
    }

    override func displayDidChange() {
        isInLayout = true
        super.displayDidChange()
        isInLayout = false
    }
}

/// Renewal of an image that was decoded for a different size or scale of the view.
extension ViewSizeLoadingTests {
    @Test("Another scale factor decodes the original again without a request, transition or completion")
    func scaleFactorChanges() async throws {
        show(width: 60, height: 60)
        let load = load([.waitForCache, .transition(.fade(1)), .forceTransition, .forceRefresh])
        #expect(await poll { view.runningTransition != nil })
        renderer.advance(view, by: 1)
        let first = try await load.result().get().image
        _ = renderer.takeChanges()

        show(width: 60, height: 60, scale: 2)
        #expect(view.image === first && view.kf.taskIdentifier == nil)
        #expect(await poll { view.image !== first })
        #expect(longerSide(view.image) == 120 && view.image?.scale == 2)
        #expect(view.runningTransition == nil && requests == 1 && load.outcomes.count == 1)

        // And back, from memory.
        show(width: 60, height: 60)
        await passMainQueue()
        #expect(view.image?.scale == 1)
    }

    @Test("A failed renewal is not retried")
    func renewalsAreNotRetried() async throws {
        show(width: 60, height: 60)
        let strategy = ScriptedStrategy(retries: 1)
        let image = try await load([.waitForCache, .retryStrategy(strategy)]).result().get().image
        rig.bench.cache.clearMemoryCache()
        await rig.bench.cache.clearDiskCache()
        show(width: 60, height: 60, scale: 2)
        try await rig.bench.cache.settle()
        await passMainQueue()
        #expect(strategy.counts.isEmpty && view.image === image && requests == 1)
    }

    @Test("A larger view alone keeps its image")
    func sizeChanges() async throws {
        show(width: 60, height: 60)
        let image = try await load([.waitForCache]).result().get().image
        show(width: 90, height: 90)
        try await rig.bench.cache.settle()
        await passMainQueue()
        #expect(view.image === image)
    }

    @Test("A scale factor that changes during the load is applied as well")
    func scaleFactorChangesWhileLoading() async throws {
        show(width: 60, height: 60)
        rig.bench.stub.hold()
        let load = load([.waitForCache])
        #expect(await poll { load.task?.isInitialized == true })
        show(width: 60, height: 60, scale: 3)
        rig.bench.stub.release()
        #expect(try await load.result().get().image.scale == 1)
        #expect(await poll { view.image?.scale == 3 })
        #expect(longerSide(view.image) == 180 && requests == 1)
    }

    @Test(
        "An image set by hand, or a new load, wins over a renewal",
        arguments: [false, true])
    func newerImageWins(isLoaded: Bool) async throws {
        show(width: 60, height: 60)
        _ = try await load([.waitForCache]).result()
        show(width: 60, height: 60, scale: 2)
        await passMainQueue()
        let own = try Image.blank()
        if isLoaded {
            _ = try await rig.load(.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "own")))
                .result()
        } else {
            view.image = own
        }
        let shown = view.image
        try await rig.bench.cache.settle()
        if !isLoaded {
            #expect(await poll { rig.bench.cache.memoryStorage.isCached(forKey: key(scale: 2)) })
        }
        await passMainQueue()
        #expect(view.image === shown && shown != nil)
    }

    @Test("A renewal does not start during the layout")
    func renewalAfterLayout() async throws {
        let probe = LayoutProbe()
        probe.contentMode = .scaleAspectFit
        probe.renderer = renderer
        for scale in [2.0, 1] {
            renderer.display = ViewDisplay(
                size: CGSize(width: 60, height: 60), scaleFactor: scale, isVisible: true)
            _ = try await rig.load(nil as URL?, in: probe, [.decodesToViewSize, .waitForCache])
                .result().get()
        }
        renderer.display.scaleFactor = 2
        probe.displayDidChange()
        #expect(probe.image?.scale == 1)
        #expect(await poll { probe.image?.scale == 2 })
        #expect(probe.changesInLayout == 0)
    }

    @Test("A renewal waits for the end of a transition")
    func scaleFactorChangesDuringTransition() async throws {
        // The image that would interrupt the transition is in memory.
        show(width: 60, height: 60, scale: 2)
        _ = try await load([.waitForCache]).result().get()
        show(width: 60, height: 60)
        let load = load([.waitForCache, .transition(.fade(1)), .forceTransition])
        #expect(await poll { view.runningTransition != nil })
        show(width: 60, height: 60, scale: 2)
        try await rig.bench.cache.settle()
        await passMainQueue()
        #expect(view.runningTransition != nil && view.image?.scale == 1 && load.outcomes.count == 0)
        renderer.advance(view, by: 1)
        #expect(load.outcomes.count == 1)
        #expect(await poll { view.image?.scale == 2 })
        #expect(longerSide(view.image) == 120 && requests == 1)
    }

    @Test("A transition that starts during a renewal is not interrupted")
    func transitionDuringRenewal() async throws {
        show(width: 60, height: 60)
        let queue = DispatchQueue(label: "decoding")
        _ = try await load([.waitForCache, .processingQueue(.dispatch(queue))]).result().get()
        queue.suspend()
        show(width: 60, height: 60, scale: 2)
        await passMainQueue()
        var ends: [Bool] = []
        view.transition(.fade(1)) {
            view.alpha = 0.5
        } completion: {
            ends.append($0)
        }
        queue.resume()
        #expect(await poll { rig.bench.cache.memoryStorage.isCached(forKey: key(scale: 2)) })
        try await rig.bench.cache.settle()
        await passMainQueue()
        #expect(ends.isEmpty && view.image?.scale == 1)
        renderer.advance(view, by: 1)
        #expect(await poll { view.image?.scale == 2 })
        #expect(ends == [true])
    }

    @Test("Without the original no request is made, and the next change tries again")
    func missingOriginal() async throws {
        show(width: 60, height: 60)
        let first = try await load([.waitForCache]).result().get().image
        await rig.bench.cache.clearCache()
        show(width: 60, height: 60, scale: 2)
        for _ in 0..<3 {
            try await rig.bench.cache.settle()
            await passMainQueue()
        }
        #expect(view.image === first && requests == 1)

        _ = try await rig.bench.retrieve(nil, [.waitForCache]).get()
        show(width: 61, height: 60, scale: 2)
        #expect(await poll { view.image?.scale == 2 })
        #expect(requests == 2)
    }

    @Test("An image loaded before the view had a renderer is decoded again when the view has a size")
    func rendererSetLater() async throws {
        view.renderer = nil
        let load = load([.waitForCache, .transition(.fade(1)), .forceTransition])
        let image = try await load.result().get().image
        #expect(image.pixels?.size == full)
        view.renderer = renderer
        show(width: 0, height: 0, isVisible: false)
        await passMainQueue()
        #expect(view.image === image)
        show(width: 60, height: 60, scale: 2)
        #expect(await poll { view.image !== image })
        #expect(longerSide(view.image) == 120 && view.image?.scale == 2)
        #expect(view.runningTransition == nil && requests == 1 && load.outcomes.count == 1)
    }

    @Test("A processed image loaded before the view had a renderer is decoded again")
    func processedBeforeRenderer() async throws {
        view.renderer = nil
        let image = try await load([.waitForCache, .processor(BlurImageProcessor(blurRadius: 2))]).result()
            .get().image
        view.renderer = renderer
        show(width: 60, height: 60)
        #expect(await poll { view.image !== image })
        #expect(longerSide(view.image) == 60 && requests == 1)
    }

    @Test("An image no larger than the view is not decoded again, also when the view shrinks later")
    func smallBeforeRenderer() async throws {
        view.renderer = nil
        let image = try await load([.waitForCache, .processingQueue(.untouch)]).result().get().image
        view.renderer = renderer
        for side in [5000.0, 50] {
            show(width: side, height: side, scale: 2)
            await passMainQueue()
            try await rig.bench.cache.settle()
            await passMainQueue()
        }
        #expect(
            view.image === image && !rig.bench.cache.memoryStorage.isCached(forKey: key(scale: 2, side: 50)))
    }

    private func key(scale: CGFloat, side: CGFloat = 60) -> String {
        let display = ViewDisplay(
            size: CGSize(width: side, height: side), scaleFactor: scale, isVisible: true)
        let box = ViewPixelBox(display, contentMode: .scaleAspectFit)
        let options = KingfisherParsedOptionsInfo([]).decoding(to: box.map { .box($0) })
        return rig.bench.url.cacheKey.computedKey(with: options.processor.identifier)
    }
}
