import Foundation
import KingfisherImage
import Synchronization

/// The process-wide memory budget for decoded frames of animations. It holds the frames, which all players of
/// the same image at the same size share. Safe from any thread.
package final class FrameBudget: Sendable {
    package static let shared: FrameBudget = {
        let budget = FrameBudget(limit: 64 << 20)
        MemoryPressure.register(budget)
        return budget
    }()

    private let ledger: Mutex<FrameLedger>

    package init(limit: Int) {
        ledger = Mutex(FrameLedger(limit: limit))
    }

    package var limit: Int {
        get { ledger.withLock(\.limit) }
        set { withLedger { $0.setLimit(newValue) } }
    }

    package var used: Int { ledger.withLock(\.used) }

    package func trim(to bytes: Int) {
        withLedger { $0.trim(to: bytes) }
    }

    /// Runs `body` under the lock. Evicted frames are freed there, because returning memory to the pool is
    /// fast.
    func withLedger<Result: Sendable>(_ body: (inout FrameLedger) -> Result) -> Result {
        ledger.withLock { body(&$0) }
    }
}

extension FrameBudget: MemoryPressureResponder {
    package func relieve(_ level: MemoryPressure) {
        trim(to: level == .critical ? 0 : limit / 2)
    }
}
