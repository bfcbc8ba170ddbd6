import Kingfisher

/// A clock that starts with a view's transition and pauses at a given time until it is resumed.
///
/// A screenshot can therefore show many transitions at a chosen moment, whenever their images arrived.
@MainActor final class HaltingClock: AnimationClock {
    private weak var view: ImageView?
    private let halt: TimeInterval
    private let clock = MonotonicAnimationClock()
    private var start: TimeInterval?
    private var resumption: TimeInterval?

    /// - Parameter halt: the time at which the clock pauses, in seconds.
    init(for view: ImageView, halt: TimeInterval) {
        self.view = view
        self.halt = halt
    }

    /// Seconds since the start of the transition, without the pause.
    var now: TimeInterval {
        let time = clock.now
        if let resumption { return halt + time - resumption }
        guard let start else {
            if view?.runningTransition != nil { start = time }
            return 0
        }
        return min(time - start, halt)
    }

    var isHalted: Bool { start != nil && resumption == nil && now >= halt }

    func resume() {
        resumption = resumption ?? clock.now
    }
}
