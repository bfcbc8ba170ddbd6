import Foundation
import Synchronization

/// Samples the memory of a server and its decoders every 50 ms.
final class MemorySampler: Sendable {
    private struct State {
        var peak = 0.0
        var isStopping = false
    }

    private let state = Mutex(State())
    private let threads = DispatchGroup()

    init(_ server: ServerProcess) {
        threads.enter()
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopping }) {
                let memory = server.memory
                state.withLock { $0.peak = max($0.peak, memory) }
                usleep(50_000)
            }
            threads.leave()
        }
    }

    /// Stops, and returns the maximum in mebibytes.
    func stop() -> Double {
        state.withLock { $0.isStopping = true }
        threads.wait()
        return state.withLock { $0.peak }
    }
}

/// The highest value since the last reset. Safe from any thread.
final class Peak: Sendable {
    private let value = Mutex(0.0)

    func add(_ new: Double) { value.withLock { $0 = max($0, new) } }

    /// Returns the value, and starts from 0.
    func reset() -> Double {
        value.withLock { value in
            defer { value = 0 }
            return value
        }
    }
}
