import Foundation
import KingfisherImage
import Synchronization

/// The process-wide budget for decoded frames of animations, and the frames themselves, shared by all who
/// play the same image at the same size. Safe from any thread.
package final class FrameBudget: Sendable {
    /// The budget of all views.
    package static let shared: FrameBudget = {
        let budget = FrameBudget(limit: 64 << 20)
        MemoryPressure.register(budget)
        return budget
    }()

    private let ledger: Mutex<FrameLedger>

    package init(limit: Int) {
        ledger = Mutex(FrameLedger(limit: limit))
    }

    /// Bytes that frames may take; lowering it frees frames at once.
    package var limit: Int {
        get { ledger.withLock(\.limit) }
        set { withLedger { $0.setLimit(newValue) } }
    }

    /// Bytes that frames and their decoders take.
    package var used: Int { ledger.withLock(\.used) }

    /// Frees frames until at most `bytes` are taken, leaving those that are being shown.
    package func trim(to bytes: Int) {
        withLedger { $0.trim(to: bytes) }
    }

    /// Runs under the lock. Frames that go are freed there; returning memory to the pool is quick.
    func withLedger<Result: Sendable>(_ body: (inout FrameLedger) -> Result) -> Result {
        ledger.withLock { body(&$0) }
    }
}

extension FrameBudget: MemoryPressureResponder {
    /// Frees down to half the budget, or all that is neither shown nor the next to be when things are
    /// critical.
    package func relieve(_ level: MemoryPressure) {
        trim(to: level == .critical ? 0 : limit / 2)
    }
}
