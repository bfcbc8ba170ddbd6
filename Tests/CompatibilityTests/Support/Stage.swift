import Foundation
import Kingfisher
import KingfisherTestSupport

/// Stands for a window: shows a view without drawing it, by a clock that stands still until it is moved.
final class Stage: ViewRenderer {
    let manualClock = ManualAnimationClock()
    var clock: any AnimationClock { manualClock }
    let canAnimate = true
    let display = ViewDisplay(size: CGSize(width: 160, height: 120), scaleFactor: 1, isVisible: true)

    func viewDidChange(_ change: ViewChange) {}
    func snapshot() -> (any ViewSnapshot)? { nil }
    nonisolated func prepare(_ image: Image) {}

    /// Puts a view into the window.
    func show(_ view: View) {
        view.renderer = self
        view.displayDidChange()
    }
}
