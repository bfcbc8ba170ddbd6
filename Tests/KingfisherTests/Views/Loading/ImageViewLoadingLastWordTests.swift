import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// What a view lets go of may ask the view for something in its `deinit`.
@Suite @MainActor struct ImageViewLoadingLastWordTests {
    /// Says at its end whether the view has a placeholder.
    @MainActor private final class LastWord: Placeholder, Indicator {
        nonisolated let heard: Inbox<Bool>
        weak var image: ImageView?
        let view = IndicatorView()

        init(_ image: ImageView, _ heard: Inbox<Bool>) {
            (self.image, self.heard) = (image, heard)
        }

        isolated deinit {
            if let image { heard.put(image.kf.placeholder != nil || image.kf.indicator != nil) }
        }

        func add(to imageView: ImageView) {}
        func remove(from imageView: ImageView) {}
        func startAnimatingView() {}
        func stopAnimatingView() {}
    }

    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let heard = Inbox<Bool>()
    var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    /// Options that hold a last word.
    private func options() -> KingfisherOptionsInfo {
        let word = LastWord(view, heard)
        return [
            .decodesToViewSize, .waitForCache,
            .imageModifier(AnyImageModifier { image in withExtendedLifetime(word) { image } }),
        ]
    }

    @Test func placeholder() {
        _ = rig.load(nil as Source?, placeholder: LastWord(view, heard))
        #expect(heard.count == 0)
        _ = rig.load(nil as Source?)
        #expect(heard.values == [false])
    }

    @Test func indicator() {
        view.kf.indicatorType = .custom(indicator: LastWord(view, heard))
        view.kf.indicatorType = .none
        #expect(heard.values == [false])
    }

    @Test func optionsOfALoadThatWaits() async throws {
        renderer.display = .none
        let load = rig.load(options())
        #expect(heard.count == 0)
        _ = rig.load(nil as Source?)
        #expect(try await load.result().superseded != nil)
        #expect(heard.values == [false])
    }

    @Test func optionsOfAnImageInItsPlace() async throws {
        view.contentMode = .scaleAspectFit
        _ = try await rig.load(options()).result().get()
        await passMainQueue()
        #expect(heard.count == 0)
        _ = rig.load(nil as Source?)
        // Where the load's own threads are not done with its options yet, the view is not the last to let go.
        #expect(try await heard.first() == false)
    }
}
