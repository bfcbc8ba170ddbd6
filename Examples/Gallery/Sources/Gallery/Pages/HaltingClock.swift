import Kingfisher

/// A clock that starts when a view's transition does, and stands still in the midst of it until it may go on.
///
/// So every transition, whenever its image came, can be seen at a moment of one's choice.
@MainActor final class HaltingClock: AnimationClock {
    private weak var view: ImageView?
    private let halt: TimeInterval
    private let clock = MonotonicAnimationClock()
    private var start: TimeInterval?
    private var resumption: TimeInterval?

    /// - Parameter halt: where it stands still, in seconds.
    init(for view: ImageView, halt: TimeInterval) {
        self.view = view
        self.halt = halt
    }

    /// Seconds since the transition began, the halt left out.
    var now: TimeInterval {
        let time = clock.now
        if let resumption { return halt + time - resumption }
        guard let start else {
            if view?.runningTransition != nil { start = time }
            return 0
        }
        return min(time - start, halt)
    }

    /// Whether the halt has been reached and not been left.
    var isHalted: Bool { start != nil && resumption == nil && now >= halt }

    /// Lets it go on from the halt.
    func resume() {
        resumption = resumption ?? clock.now
    }
}
