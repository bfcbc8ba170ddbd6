import Synchronization

/// Opens once; what was to follow runs then. Safe from any thread.
@usableFromInline
package final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Has `action` called when the latch opens, on that thread; at once, on this one, if it is open.
    package func whenOpen(_ action: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(action) }
            return state.isOpen
        }
        if isOpen { action() }
    }

    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in waiting { action() }
    }
}
