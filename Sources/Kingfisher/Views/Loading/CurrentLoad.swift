import Synchronization

/// What `kf` keeps for an image view.
struct ImageViewLoading {
    /// The load that the view waits for.
    let current = CurrentLoad()
    /// That load, while it waits for the view's first layout.
    var wait: LayoutWait?
    /// The picture that was decoded to the view's size.
    var fitted: FittedPicture?
    var placeholder: (any Placeholder)?
    var indicatorType: IndicatorType = .none
    var indicator: (any Indicator)?
}

/// The load that a view waits for. Safe from any thread, so that stages in the background can ask whether
/// their work is still wanted.
final class CurrentLoad: Sendable {
    private struct State {
        var identifier: Source.Identifier.Value?
        var task: DownloadTask?
    }

    private let state = Mutex(State())

    /// The identifier of the load; nil while the view waits for none.
    var identifier: Source.Identifier.Value? { state.withLock(\.identifier) }

    func isCurrent(_ identifier: Source.Identifier.Value) -> Bool {
        self.identifier == identifier
    }

    /// Makes `identifier` the load that the view waits for, in place of any other.
    func begin(_ identifier: Source.Identifier.Value) {
        replace(with: State(identifier: identifier, task: nil))
    }

    /// Keeps `task` to cancel the load with, unless that load has ended meanwhile.
    func adopt(_ task: DownloadTask?, for identifier: Source.Identifier.Value) {
        state.withLock { if $0.identifier == identifier { $0.task = task } }
    }

    /// Ends the load if the view still waits for it, and says whether it did.
    func end(_ identifier: Source.Identifier.Value) -> Bool {
        let ended = state.withLock { state -> State? in
            guard state.identifier == identifier else { return nil }
            defer { state = State() }
            return state
        }
        return ended != nil
    }

    /// Lets the view wait for nothing.
    func forget() {
        replace(with: State())
    }

    /// The old task goes outside the lock: it may be the last to hold something whose end asks for this one
    /// again.
    private func replace(with new: State) {
        let old = state.withLock { state in
            defer { state = new }
            return state
        }
        withExtendedLifetime(old) {}
    }

    /// Cancels the load; it ends with an error of its own.
    func cancel() {
        // Outside the lock: cancelling may complete the load before it returns.
        state.withLock(\.task)?.cancel()
    }
}
