import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers

/// A renderer that records its calls and has a manual clock.
@MainActor final class RecordingRenderer: ViewRenderer {
    let manualClock = ManualAnimationClock()
    var canAnimate = true
    /// The value of `snapshot()`.
    var storedSnapshot: (any ViewSnapshot)?
    private(set) var changes: [ViewChange] = []
    /// Receives a value for each animation that starts.
    let animations = Inbox<Void>()

    var clock: any AnimationClock { manualClock }

    var scrollPlace: ScrollPlace?

    var display = ViewDisplay(size: CGSize(width: 100, height: 100), scaleFactor: 1, isVisible: true)

    var environment = ViewEnvironment.standard

    func snapshot() -> (any ViewSnapshot)? { storedSnapshot }

    nonisolated func prepare(_ image: Image) {}

    func viewDidChange(_ change: ViewChange) {
        changes.append(change)
        if case .animation = change { animations.put() }
    }

    /// Advances the clock, then the animations of `view`.
    func advance(_ view: View, by seconds: TimeInterval) {
        manualClock.advance(by: seconds)
        view.advance()
    }

    /// The changes since the last call.
    func takeChanges() -> [ViewChange] {
        defer { changes = [] }
        return changes
    }
}

/// A snapshot without content.
@MainActor final class BlankSnapshot: ViewSnapshot {}

extension RunningTransition {
    /// The snapshot of the view before the transition.
    var originSnapshot: (any ViewSnapshot)? {
        if case .snapshot(let snapshot) = origin { snapshot } else { nil }
    }

    /// The image before the transition.
    var originImage: Image? {
        if case .image(let image) = origin { image } else { nil }
    }
}

extension Image {
    /// A new image; blank images differ by identity only.
    static func blank(width: Int = 4, height: Int = 4) throws -> Image {
        try Image(pixels: PixelBuffer(width: width, height: height, format: .gray8, zeroed: true) { _, _ in })
    }
}
