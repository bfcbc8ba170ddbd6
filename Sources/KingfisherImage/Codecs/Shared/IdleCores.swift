import Foundation
import Synchronization

/// Counts the threads of this process that decode, so that one image uses a second core only while the others
/// leave it idle.
enum IdleCores {
    private static let busy = Atomic(0)

    /// Calls `body` with whether it may use a second thread until it returns. Safe from any thread.
    static func withHelper<Value>(if isWanted: Bool, _ body: (Bool) -> Value) -> Value {
        let before = busy.add(1, ordering: .relaxed).oldValue
        let hasHelper = isWanted && before + 2 <= ProcessInfo.processInfo.activeProcessorCount
        if hasHelper { busy.add(1, ordering: .relaxed) }
        defer { busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed) }
        return body(hasHelper)
    }
}
