import Foundation
import Kingfisher
import KingfisherTestSupport

/// A toolkit that draws nothing and remembers everything; its clock stands until a test moves it.
@MainActor final class RecordingRenderer: ViewRenderer {
    let manualClock = ManualAnimationClock()
    var canAnimate = true
    /// What `snapshot()` answers.
    var kept: (any ViewSnapshot)?
    private(set) var changes: [ViewChange] = []
    /// One for each animation that has begun.
    let animations = Inbox<Void>()

    var clock: any AnimationClock { manualClock }

    var display = ViewDisplay(size: CGSize(width: 100, height: 100), scaleFactor: 1, isVisible: true)

    func snapshot() -> (any ViewSnapshot)? { kept }

    nonisolated func prepare(_ image: Image) {}

    func viewDidChange(_ change: ViewChange) {
        changes.append(change)
        if case .animation = change { animations.put() }
    }

    /// The changes since the last call.
    func takeChanges() -> [ViewChange] {
        defer { changes = [] }
        return changes
    }
}

/// Stands for what a toolkit keeps of a view.
@MainActor final class BlankSnapshot: ViewSnapshot {}

extension RunningTransition {
    /// What the toolkit kept of the view before.
    var originSnapshot: (any ViewSnapshot)? {
        if case .snapshot(let snapshot) = origin { snapshot } else { nil }
    }

    /// The image that was shown before.
    var originImage: Image? {
        if case .image(let image) = origin { image } else { nil }
    }
}

extension Image {
    /// An image of its own, told from others by identity only.
    static func blank(width: Int = 4, height: Int = 4) throws -> Image {
        try Image(pixels: PixelBuffer(width: width, height: height, format: .gray8, zeroed: true) { _, _ in })
    }
}
