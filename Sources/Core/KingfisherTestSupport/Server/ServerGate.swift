import Synchronization

/// Holds responses back until enough of them have arrived or `release()` is called. Then it stays open.
public final class ServerGate: Sendable {
    private struct State {
        var arrived = 0
        var isOpen = false
    }

    private let state = Mutex(State())
    private let count: Int

    /// - Parameter count: The number of arrivals that opens the gate.
    public init(opensAfter count: Int = .max) {
        self.count = count
    }

    /// Opens the gate for waiting and later responses.
    public func release() { state.withLock { $0.isOpen = true } }

    /// Whether the gate is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The number of responses that have arrived at the gate.
    public var arrived: Int { state.withLock { $0.arrived } }

    func arrive() {
        state.withLock { state in
            state.arrived += 1
            if state.arrived >= count { state.isOpen = true }
        }
    }
}
