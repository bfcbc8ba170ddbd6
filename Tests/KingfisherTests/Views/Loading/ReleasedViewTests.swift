import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

/// A load does not retain its view: it goes on to the caches and completes like a superseded one.
@Suite @MainActor struct ReleasedViewTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private var key: String { bench.url.cacheKey }

    /// Starts a load at a place of an object that only `body` holds, and returns once that is released.
    private func load(
        at place: LoadingPlace = .imageView, in bench: Bench? = nil,
        until started: @MainActor (LoadingPlaceRig, LoadingPlaceRig.Load) async throws -> Void
    ) async throws -> LoadingPlaceRig.Load {
        weak var view: ImageView?
        weak var badge: Badge?
        weak var attachment: TextAttachment?
        weak var button: Button?
        let load: LoadingPlaceRig.Load
        do {
            let rig = LoadingPlaceRig(place, bench ?? self.bench)
            (view, badge, attachment, button) = (rig.imageView, rig.badge, rig.attachment, rig.button)
            load = rig.load()
            try await started(rig, load)
        }
        // The expression of an attachment's view holds the view.
        #expect(
            await poll {
                (place == .attachment || view == nil) && badge == nil && attachment == nil && button == nil
            })
        return load
    }

    @Test(
        "A view that is released during the transfer completes its load, which is cached",
        arguments: LoadingPlace.allCases)
    func duringTheTransfer(place: LoadingPlace) async throws {
        let (stub, cache) = (bench.stub, bench.cache)
        stub.hold()
        let load = try await load(at: place) { _, _ in #expect(await poll { stub.liveTransfers == 1 }) }
        #expect(load.outcomes.count == 0)
        stub.release()
        let ended = try #require(try await load.result().superseded)
        #expect(ended.result?.cacheType == CacheType.none && ended.error == nil)
        #expect(ended.source.cacheKey == key && stub.requests.count == 1)
        try await cache.settle()
        #expect(cache.isCached(forKey: key) && bench.filesOnDisk.count == 1)
    }

    @Test(
        "A view that is released before the disk is read completes its load, from disk or by a download",
        arguments: [LoadingPlace.imageView, .settable], [false, true])
    func beforeTheDiskRead(place: LoadingPlace, isOnDisk: Bool) async throws {
        if isOnDisk {
            _ = try await bench.retrieve(nil, [.waitForCache]).get()
            bench.cache.clearMemoryCache()
        }
        let hold = Latch()
        bench.cache.diskQueue.run(key: key) { _ = hold.wait() }
        let load = try await load(at: place) { _, _ in }
        #expect(load.outcomes.count == 0 && bench.stub.requests.count == (isOnDisk ? 1 : 0))
        hold.open()
        let ended = try #require(try await load.result().superseded)
        #expect(ended.result?.cacheType == (isOnDisk ? .disk : CacheType.none))
        #expect(bench.cache.isCached(forKey: key) && bench.stub.requests.count == 1)
    }

    @Test("A failure is the outcome, too", arguments: [LoadingPlace.imageView, .settable])
    func failure(place: LoadingPlace) async throws {
        let failing = try Bench { _ in StubAnswer(status: 404) }
        failing.stub.hold()
        let load = try await load(at: place, in: failing) { _, _ in }
        failing.stub.release()
        let ended = try #require(try await load.result().superseded)
        #expect(ended.result == nil && ended.error?.isInvalidResponseStatusCode(404) == true)
    }

    @Test("A view that is released during a transition completes its load")
    func duringATransition() async throws {
        let renderer = RecordingRenderer()
        let outcomes = Inbox<ImageViewLoadingRig.Outcome>()
        weak var weakReference: ImageView?
        do {
            let view = ImageView()
            weakReference = view
            view.renderer = renderer
            let options: KingfisherOptionsInfo = [
                .downloader(bench.downloader), .targetCache(bench.cache), .transition(.fade(2)),
            ]
            view.kf.setImage(with: bench.url, options: options) { outcomes.put($0) }
            _ = try await renderer.animations.first()
            #expect(view.image != nil && outcomes.count == 0)
        }
        #expect(await poll { weakReference == nil })
        #expect(try await outcomes.only().superseded?.result?.image != nil)
    }

    @Test("A preview or a revalidated image is not shown, and nothing retains the view for it")
    func observers() async throws {
        let stub = bench.stub
        stub.hold()
        weak var weakReference: ImageView?
        let (outcomes, previews) = (Inbox<ImageViewLoadingRig.Outcome>(), Inbox<Void>())
        do {
            let view = ImageView()
            weakReference = view
            let progressive = ImageProgressive(isBlur: false, isFastestScan: false, scanInterval: 0)
            progressive.onImageUpdated.delegate(on: previews) { previews, _ in
                previews.put()
                return .default
            }
            let options: KingfisherOptionsInfo = [
                .downloader(bench.downloader), .targetCache(bench.cache), .progressiveJPEG(progressive),
                .httpCaching,
            ]
            view.kf.setImage(with: bench.url, options: options) { outcomes.put($0) }
        }
        #expect(await poll { weakReference == nil })
        stub.release()
        #expect(try await outcomes.first().superseded?.result != nil && previews.count == 0)
    }

    @Test("The load of a released view makes room for the next view out of sight")
    func offscreenLoads() async throws {
        let (queue, renderer, stub) = (OffscreenLoads(limit: 1), RecordingRenderer(), bench.stub)
        renderer.scrollPlace = ScrollPlace(distance: 100)
        stub.hold()
        let next = ImageView()
        let load: ImageViewLoadingRig.Load
        let rig = ImageViewLoadingRig(bench)
        do {
            let view = ImageView()
            for view in [view, next] {
                view.renderer = renderer
                view.loading.offscreenLoads = queue
            }
            _ = rig.load(in: view)
            load = rig.load(Bench.freshURL(), in: next)
            #expect(view.loading.running != nil && next.loading.wait != nil)
        }
        #expect(await poll { stub.liveTransfers == 1 })
        stub.release()
        _ = try await load.result().get()
        #expect(next.image != nil)
    }

    @Test("A suspended load whose view is released completes once")
    func suspended() async throws {
        let (timer, renderer) = (ManualTimer(), RecordingRenderer())
        let provider = PendingProvider()
        let rig = ImageViewLoadingRig(bench)
        weak var weakReference: ImageView?
        let load: ImageViewLoadingRig.Load
        do {
            let view = ImageView()
            weakReference = view
            view.renderer = renderer
            view.loading.timer = timer
            view.kf.cancelOnDisappear = .zero
            load = rig.load(.provider(provider), in: view)
            _ = try await provider.asked.first()
            renderer.display.isVisible = false
            view.displayDidChange()
            await passMainQueue()
            timer.advance(by: 1)
            await passMainQueue()
            #expect(view.loading.wait?.isSuspended == true && load.outcomes.count == 0)
        }
        #expect(await poll { weakReference == nil })
        provider.fail()
        #expect(try await load.result().superseded != nil)
    }
}
