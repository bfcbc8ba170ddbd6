import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// An object that a view releases may access the view in its `deinit`.
@Suite @MainActor struct ImageViewLoadingDeinitTests {
    /// Reports at deinitialisation whether the view has a placeholder or an indicator.
    @MainActor private final class DeinitProbe: Placeholder, Indicator {
        nonisolated let reports: Inbox<Bool>
        weak var image: ImageView?
        let view = IndicatorView()

        init(_ image: ImageView, _ reports: Inbox<Bool>) {
            (self.image, self.reports) = (image, reports)
        }

        isolated deinit {
            if let image { reports.put(image.kf.placeholder != nil || image.kf.indicator != nil) }
        }

        func add(to imageView: ImageView) {}
        func remove(from imageView: ImageView) {}
        func startAnimatingView() {}
        func stopAnimatingView() {}
    }

    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let reports = Inbox<Bool>()
    var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    /// Options that retain a `DeinitProbe`.
    private func options() -> KingfisherOptionsInfo {
        let probe = DeinitProbe(view, reports)
        return [
            .decodesToViewSize, .waitForCache,
            .imageModifier(AnyImageModifier { image in withExtendedLifetime(probe) { image } }),
        ]
    }

    @Test("A released placeholder can access the view") func placeholder() {
        _ = rig.load(nil as Source?, placeholder: DeinitProbe(view, reports))
        #expect(reports.count == 0)
        _ = rig.load(nil as Source?)
        #expect(reports.values == [false])
    }

    @Test("A released indicator can access the view") func indicator() {
        view.kf.indicatorType = .custom(indicator: DeinitProbe(view, reports))
        view.kf.indicatorType = .none
        #expect(reports.values == [false])
    }

    @Test("Released options of a waiting load can access the view") func optionsOfWaitingLoad() async throws {
        renderer.display = .none
        let load = rig.load(options())
        #expect(reports.count == 0)
        _ = rig.load(nil as Source?)
        #expect(try await load.result().superseded != nil)
        #expect(reports.values == [false])
    }

    @Test("Released options of a completed load can access the view") func optionsOfCompletedLoad()
        async throws
    {
        view.contentMode = .scaleAspectFit
        _ = try await rig.load(options()).result().get()
        await passMainQueue()
        #expect(reports.count == 0)
        _ = rig.load(nil as Source?)
        // If threads of the load still use its options, the view is not the last to release them.
        #expect(try await reports.first() == false)
    }
}
