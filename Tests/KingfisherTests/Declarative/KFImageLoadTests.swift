import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// When the load of a `KFImage` starts, and which handler it calls.
@Suite @MainActor struct KFImageLoadTests {
    let rig: KFImageRig

    init() throws { rig = try KFImageRig() }

    private var failing: KFImageRig {
        get throws { KFImageRig(try Bench(serving: TestImages.garbage)) }
    }

    @Test("The load starts when the view appears, and shows the placeholder before")
    func lazyStart() async throws {
        let placeholder = try Image.blank()
        let view = rig.image().placeholder(placeholder).makeView()
        #expect(view.image === placeholder && rig.bench.stub.requests.isEmpty)
        rig.display(view, isVisible: false)
        await passMainQueue()
        #expect(view.image === placeholder && rig.bench.stub.requests.isEmpty)
        rig.display(view, isVisible: true)
        let result = try await rig.outcome().get()
        #expect(view.image === result.image && view.image !== placeholder)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("startLoadingBeforeViewAppear() starts the load of a view that no toolkit shows")
    func earlyStart() async throws {
        let view = rig.image().startLoadingBeforeViewAppear().makeView()
        #expect(view.kf.taskIdentifier != nil)
        let image = try await rig.outcome().get().image
        #expect(view.image === image)
    }

    @Test("An image in memory is shown before makeView() returns, and the handler is called afterwards")
    func memory() async throws {
        _ = try await rig.bench.retrieve().get()
        let view = rig.image().makeView()
        #expect(view.image != nil && rig.outcomes.count == 0)
        #expect(try await rig.outcome().get().cacheType == .memory)
        let processed = rig.image().appendProcessor(CountingProcessor("other")).makeView()
        #expect(processed.image == nil && rig.bench.stub.requests.count == 1)
    }

    @Test("forceRefresh() waits for the view although memory has the image")
    func refresh() async throws {
        _ = try await rig.bench.retrieve().get()
        let view = rig.image().forceRefresh().makeView()
        #expect(view.image == nil && rig.bench.stub.requests.count == 1)
        rig.display(view, isVisible: true)
        #expect(try await rig.outcome().get().cacheType == .none)
        #expect(rig.bench.stub.requests.count == 2)
    }

    @Test("With cancelOnDisappear(true) a load is cancelled off screen, and succeeds after its return")
    func cancelledOffScreen() async throws {
        let (stub, timer) = (rig.bench.stub, ManualTimer())
        stub.hold()
        let value = rig.image().cancelOnDisappear(true)
        let view = value.makeView()
        view.loading.timer = timer
        rig.display(view, isVisible: true)
        #expect(await rig.starts(view))
        #expect(await poll { @Sendable in stub.liveTransfers == 1 })
        rig.display(view, isVisible: false)
        await passMainQueue()
        timer.advance(by: 0)
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(rig.outcomes.count == 0)
        stub.release()
        rig.display(view, isVisible: true)
        let image = try await rig.outcome().get().image
        #expect(view.image === image && stub.requests.count == 2)
    }

    @Test("A failed load calls onFailure once and shows the failure view instead of placeholder and image")
    func failure() async throws {
        let (rig, waiting, failed) = (try failing, View(), View())
        let view = rig.show(
            rig.image().placeholder { waiting }.onFailureView { failed }.onFailureImage(try Image.blank()))
        #expect(waiting.isDescendant(of: view) && !failed.isDescendant(of: view))
        #expect(reason(try await rig.outcome()) != nil)
        #expect(failed.isDescendant(of: view) && !waiting.isDescendant(of: view) && view.image == nil)
    }

    @Test("Without a failure view the placeholder stays, or the failure image replaces it")
    func failureImage() async throws {
        for image in [nil, try Image.blank()] {
            let (rig, waiting) = (try failing, View())
            let value = rig.image().placeholder { waiting }
            let view = rig.show(image.map { value.onFailureImage($0) } ?? value)
            #expect(reason(try await rig.outcome()) != nil)
            #expect(waiting.isDescendant(of: view) == (image == nil) && view.image === image)
        }
    }

    @Test("Without a source the load fails with emptySource and shows the failure view or image")
    func noSource() async throws {
        let (failed, image) = (View(), try Image.blank())
        let shown = rig.show(rig.connected(KFImage(nil)).onFailureView { failed })
        #expect(reason(try await rig.outcome()) == "emptySource" && failed.isDescendant(of: shown))
        let other = KFImage(nil).onFailureImage(image).startLoadingBeforeViewAppear().makeView()
        #expect(other.image === image)
    }

    @Test("A cancelled load calls onFailure with the cancellation")
    func cancelled() async throws {
        rig.bench.stub.hold()
        let view = rig.show(rig.image())
        #expect(await rig.starts(view))
        view.kf.cancelDownloadTask()
        #expect(try await rig.outcome().failure?.isTaskCancelled == true)
    }

    @Test("A load that the application supersedes with setImage calls no handler")
    func supersededByApplication() async throws {
        rig.bench.stub.hold()
        let view = rig.show(rig.image())
        #expect(await rig.starts(view))
        let other = Inbox<Void>()
        view.kf.setImage(
            with: Bench.freshURL(),
            options: [.targetCache(rig.bench.cache), .downloader(rig.bench.downloader)]
        ) { _ in other.put() }
        rig.bench.stub.release()
        try await other.first()
        let stub = rig.bench.stub
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(rig.outcomes.count == 0)
    }

    @Test("A failed load starts again when the view returns to the screen, not when it is laid out")
    func failedAndBack() async throws {
        let (rig, waiting, failed) = (try failing, View(), View())
        let view = rig.show(rig.image().placeholder { waiting }.onFailureView { failed })
        _ = try await rig.outcome()
        rig.display(view, isVisible: true, width: 50)
        await passMainQueue()
        #expect(view.kf.taskIdentifier == nil && failed.isDescendant(of: view))
        rig.display(view, isVisible: false)
        await passMainQueue()
        #expect(view.kf.taskIdentifier == nil)
        rig.bench.stub.hold()
        rig.display(view, isVisible: true)
        #expect(await rig.starts(view))
        #expect(waiting.isDescendant(of: view) && !failed.isDescendant(of: view))
        rig.bench.stub.release()
        #expect(try await rig.outcomes.first(2).count == 2)
    }

    @Test("A view whose load runs is released without calling a handler, and the image is cached")
    func discardedView() async throws {
        let (bench, stub) = (rig.bench, rig.bench.stub)
        weak var view: ImageView?
        stub.hold()
        do {
            let shown = rig.image().startLoadingBeforeViewAppear().placeholder { _ in View() }.makeView()
            view = shown
            #expect(shown.kf.taskIdentifier != nil)
        }
        #expect(await poll { view == nil })
        #expect(await poll { stub.liveTransfers == 1 })
        stub.release()
        #expect(await poll { bench.cache.isCached(forKey: bench.url.cacheKey) })
        await passMainQueue()
        #expect(rig.outcomes.count == 0)
    }

    @Test("A view that waits for a layout is released without calling a handler")
    func discardedWait() async throws {
        weak var view: ImageView?
        rig.renderer.display = .none
        do {
            let waiting = ImageView()
            view = waiting
            waiting.renderer = rig.renderer
            rig.image().resizable().decodesToViewSize().startLoadingBeforeViewAppear().update(waiting)
            #expect(waiting.kf.taskIdentifier != nil)
        }
        #expect(await poll { view == nil })
        await passMainQueue()
        #expect(rig.outcomes.count == 0 && rig.bench.stub.requests.isEmpty)
    }
}
