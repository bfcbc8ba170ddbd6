import Synchronization

/// Holds responses back until enough of them have arrived, or until it is opened by hand. Once open it stays
/// open.
public final class ServerGate: Sendable {
    private struct State {
        var arrived = 0
        var isOpen = false
    }

    private let state = Mutex(State())
    private let count: Int

    /// - Parameter count: How many arrivals open the gate.
    public init(opensAfter count: Int = .max) {
        self.count = count
    }

    /// Opens the gate for those who wait and all who come.
    public func release() { state.withLock { $0.isOpen = true } }

    /// Whether responses pass without waiting.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// How many responses have come to the gate.
    public var arrived: Int { state.withLock { $0.arrived } }

    func arrive() {
        state.withLock { state in
            state.arrived += 1
            if state.arrived >= count { state.isOpen = true }
        }
    }
}
