import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// V-8.
@Suite @MainActor struct ImageViewLoadingIndicatorTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }
    var isVisible: Bool? { view.kf.indicator.map { !$0.view.isHidden } }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.kf.indicatorType = .activity
    }

    @Test("The indicator is hidden initially", .behaviours("V-8"))
    func isHiddenAtFirst() throws {
        let indicator = try #require(view.kf.indicator)
        #expect(indicator.view.isHidden && indicator.view.superview === view)
        let spinner = try #require(indicator.view as? ActivityIndicatorView)
        #expect(!spinner.isAnimating)
        #expect(spinner.placement == .center())
        guard case .activity = view.kf.indicatorType else {
            Issue.record("\(view.kf.indicatorType)")
            return
        }
    }

    @Test("The type .none removes the indicator", .behaviours("V-8"))
    func noneRemovesIt() throws {
        let old = try #require(view.kf.indicator).view
        view.kf.indicatorType = .none
        #expect(view.kf.indicator == nil && old.superview == nil && view.subviews.isEmpty)
    }

    @Test("A new indicator replaces the old one") func replacement() throws {
        view.kf.indicatorType = .activity
        #expect(view.subviews.count == 1 && view.subviews.first === view.kf.indicator?.view)
    }

    @Test(
        "The indicator is visible while loading and hidden before the completion", .behaviours("V-8"),
        arguments: [false, true])
    func visibility(fails: Bool) async throws {
        let bench = fails ? try Bench(serving: TestImages.garbage) : rig.bench
        let atCompletion = Inbox<(visible: Bool?, failed: Bool)>()
        bench.stub.hold()
        view.kf.setImage(
            with: bench.url, options: [.downloader(bench.downloader), .targetCache(bench.cache)]
        ) { result in
            atCompletion.put((isVisible, reason(result) != nil))
        }
        #expect(isVisible == true)
        #expect((view.kf.indicator?.view as? ActivityIndicatorView)?.isAnimating == true)
        bench.stub.release()
        #expect(try await atCompletion.first() == (false, fails))
        #expect((view.kf.indicator?.view as? ActivityIndicatorView)?.isAnimating == false)
    }

    @Test("The indicator is hidden before the completion of a memory hit", .behaviours("V-8"))
    func memoryHit() async throws {
        _ = try await rig.bench.retrieve().get()
        let atCompletion = Inbox<Bool?>()
        view.kf.setImage(with: rig.bench.url, options: rig.options) { _ in atCompletion.put(isVisible) }
        #expect(atCompletion.values == [false])
    }

    @Test("The indicator stays visible for a superseding load") func supersedingLoad() async throws {
        let stub = rig.bench.stub
        let other = try Bench()
        other.stub.hold()
        let first = await rig.hold { rig.load() }
        let second = rig.load([.downloader(other.downloader)])
        // Skips the caches, which will contain the first image.
        #expect(await poll { @Sendable in !other.stub.requests.isEmpty })
        stub.release()
        #expect(try await first.result().superseded != nil)
        #expect(isVisible == true)
        other.stub.release()
        _ = try await second.result().get()
        #expect(isVisible == false)
    }

    @Test("The indicator is hidden when the load is cancelled") func cancelledLoad() async throws {
        let load = await rig.hold { rig.load() }
        view.kf.cancelDownloadTask()
        #expect(try await load.result().failure?.isTaskCancelled == true)
        #expect(isVisible == false)
    }

    @Test("The indicator is hidden when the source becomes nil") func nilSource() async throws {
        rig.bench.stub.hold()
        _ = rig.load()
        let atCompletion = Inbox<Bool?>()
        view.kf.setImage(with: nil as URL?) { _ in atCompletion.put(isVisible) }
        #expect(atCompletion.values == [false])
    }

    @Test("An indicator set during a load is visible for that load")
    func madeWhileLoading() async throws {
        view.kf.indicatorType = .none
        let load = await rig.hold { rig.load() }
        view.kf.indicatorType = .activity
        #expect(isVisible == true)
        rig.bench.stub.release()
        _ = try await load.result().get()
        #expect(isVisible == false)
    }
}
