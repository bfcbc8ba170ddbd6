import Foundation
import Synchronization

/// Samples the memory of a server every 20 ms.
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
                usleep(20_000)
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
