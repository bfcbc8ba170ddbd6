import Foundation
import Kingfisher
import KingfisherTestSupport

/// A window with a manual clock that shows a view without drawing it.
final class TestWindow: ViewRenderer {
    let manualClock = ManualAnimationClock()
    var clock: any AnimationClock { manualClock }
    let canAnimate = true
    let display = ViewDisplay(size: CGSize(width: 160, height: 120), scaleFactor: 1, isVisible: true)

    func viewDidChange(_ change: ViewChange) {}
    func snapshot() -> (any ViewSnapshot)? { nil }
    nonisolated func prepare(_ image: Image) {}

    func show(_ view: View) {
        view.renderer = self
        view.displayDidChange()
    }
}
