import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// `.decodesToViewSize` with `setImage`: the wait for a layout, and the caches.
@Suite @MainActor struct ViewSizeLoadingTests {
    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let full: PixelSize

    init() throws {
        let photo = try Fixtures.data(named: "Photos/astronaut.jpg")
        full = try #require(Image(data: photo)?.pixels?.size)
        rig = ImageViewLoadingRig(try Bench(serving: photo))
        rig.view.renderer = renderer
        rig.view.contentMode = .scaleAspectFit
    }

    var view: ImageView { rig.view }
    var requests: Int { rig.bench.stub.requests.count }

    func show(width: CGFloat, height: CGFloat, scale: CGFloat = 1, isVisible: Bool = true) {
        renderer.display = ViewDisplay(
            size: CGSize(width: width, height: height), scaleFactor: scale, isVisible: isVisible)
        view.displayDidChange()
    }

    func load(
        _ extra: KingfisherOptionsInfo = [], of url: URL? = nil
    ) -> ImageViewLoadingRig.Load {
        rig.load(url, [.decodesToViewSize] + extra)
    }

    func longerSide(_ image: Image?) -> Int? { image?.pixels.map { max($0.width, $0.height) } }

    @Test("The image has the view's pixels and scale; another size comes from disk, this one from memory")
    func sizes() async throws {
        show(width: 60, height: 60, scale: 2)
        let first = try await load([.waitForCache]).result().get()
        #expect(longerSide(first.image) == 120 && first.image.scale == 2 && view.image === first.image)
        #expect(first.cacheType == .none && requests == 1)
        rig.bench.cache.clearMemoryCache()

        show(width: 30, height: 30, scale: 2)
        let second = try await load().result().get()
        #expect(longerSide(second.image) == 60 && requests == 1)

        let again = load()
        #expect(again.outcomes.count == 1 && again.task == nil)
        #expect(try await again.result().get().cacheType == .memory)
    }

    @Test(
        "Without a renderer, or in a mode that does not scale, the image has its full size",
        arguments: [true, false])
    func fullSize(hasRenderer: Bool) async throws {
        show(width: 60, height: 60, scale: 2)
        if hasRenderer { view.contentMode = .center } else { view.renderer = nil }
        let image = try await load([.scaleFactor(3)]).result().get().image
        #expect(image.pixels?.size == full && image.scale == 3)
    }

    @Test("A view with an empty layout does not wait, because its image may determine its size")
    func emptyLayout() async throws {
        show(width: 0, height: 0, isVisible: true)
        #expect(try await load().result().get().image.pixels?.size == full)
    }

    @Test("The load waits for the first layout, and completes once")
    func firstLayout() async throws {
        show(width: 0, height: 0, isVisible: false)
        let load = load()
        let task = try #require(load.task)
        #expect(view.kf.taskIdentifier != nil && !task.isInitialized)
        try await rig.bench.cache.settle()
        await passMainQueue()
        #expect(requests == 0 && load.outcomes.count == 0)
        show(width: 0, height: 40, isVisible: false)
        #expect(try await load.result().get().image.pixels?.height == 40)
        #expect(view.kf.taskIdentifier == nil && task.isInitialized && requests == 1)
        show(width: 50, height: 50)
        await passMainQueue()
        #expect(load.outcomes.count == 1)
    }

    @Test("The load does not start during the layout, even if its image is in memory")
    func layoutInProgress() async throws {
        show(width: 60, height: 60)
        _ = try await load([.waitForCache]).result().get()
        let probe = LayoutProbe()
        probe.contentMode = view.contentMode
        probe.renderer = renderer
        renderer.display = .none
        let outcomes = Inbox<(isInLayout: Bool, CacheType?)>()
        probe.kf.setImage(with: rig.bench.url, options: rig.options + [.decodesToViewSize]) { result in
            outcomes.put((probe.isInLayout, try? result.get().cacheType))
        }
        renderer.display = ViewDisplay(
            size: CGSize(width: 60, height: 60), scaleFactor: 1, isVisible: true)
        probe.displayDidChange()
        let (isInLayout, cacheType) = try await outcomes.first()
        #expect(!isInLayout && cacheType == .memory && probe.changesInLayout == 0)
    }

    @Test("A waiting load can be cancelled", arguments: ["view", "task", "task on another thread"])
    func cancelWhileWaiting(by way: String) async throws {
        show(width: 0, height: 0, isVisible: false)
        let load = load()
        let task = try #require(load.task)
        switch way {
        case "view": view.kf.cancelDownloadTask()
        case "task": task.cancel()
        default: await Task.detached { task.cancel() }.value
        }
        #expect(try await load.result().failure?.isTaskCancelled == true)
        #expect(view.kf.taskIdentifier == nil)
        task.cancel()
        show(width: 50, height: 50)
        await passMainQueue()
        #expect(load.outcomes.count == 1 && requests == 0 && view.image == nil)
    }

    @Test("Cancelling the same task after the layout cancels the download", arguments: [false, true])
    func cancelAfterLayout(byTask: Bool) async throws {
        show(width: 0, height: 0, isVisible: false)
        rig.bench.stub.hold()
        let load = load()
        show(width: 50, height: 50)
        #expect(await poll { load.task?.isInitialized == true })
        #expect(load.task?.sessionTask?.originalURL == rig.bench.url && load.task?.cancelToken != nil)
        if byTask { load.task?.cancel() } else { view.kf.cancelDownloadTask() }
        #expect(try await load.result().failure?.isTaskCancelled == true)
        let stub = rig.bench.stub
        #expect(await poll { @Sendable in stub.liveTransfers == 0 })
    }

    @Test("A new load supersedes a waiting one", arguments: [false, true])
    func superseded(bySized: Bool) async throws {
        show(width: 0, height: 0, isVisible: false)
        let first = load()
        let second = bySized ? load(of: Bench.freshURL()) : rig.load(Bench.freshURL())
        let outcome = try #require(try await first.result().superseded)
        #expect(outcome.result == nil && outcome.source.url == rig.bench.url)
        first.task?.cancel()
        show(width: 50, height: 50)
        let image = try await second.result().get().image
        #expect(view.image === image && longerSide(image) == (bySized ? 50 : max(full.width, full.height)))
        #expect(first.outcomes.count == 1 && requests == 1)
    }

    @Test("A load without a source ends the wait")
    func noSource() async throws {
        show(width: 0, height: 0, isVisible: false)
        let first = load()
        let second = rig.load(nil as Source?)
        #expect(try await first.result().superseded != nil && second.outcomes.count == 1)
        show(width: 50, height: 50)
        await passMainQueue()
        #expect(requests == 0 && view.image == nil)
    }

    @Test("A view released before its layout completes its load")
    func releasedWhileWaiting() async throws {
        let load: ImageViewLoadingRig.Load
        weak var weakReference: ImageView?
        do {
            let view = ImageView()
            weakReference = view
            let renderer = RecordingRenderer()
            renderer.display = .none
            view.renderer = renderer
            load = rig.load(rig.bench.url, in: view, [.decodesToViewSize])
            #expect(load.outcomes.count == 0)
        }
        #expect(weakReference == nil)
        #expect(try await load.result().superseded != nil)
        load.task?.cancel()
        await passMainQueue()
        #expect(load.outcomes.count == 1)
    }
}
