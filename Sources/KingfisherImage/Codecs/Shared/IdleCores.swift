import CLinux
import Synchronization

/// Counts the threads of this process that make thumbnails of JPEGs, so that one image uses a second core
/// only while the others leave it idle. A guess: other work does not count, and two callers may take the last
/// core. Only cores that the process's affinity allows count; Foundation counts all.
enum IdleCores {
    private static let busy = Atomic(0)

    /// Calls `body` with whether it may use a second thread until it returns. Safe from any thread.
    static func withHelper<Value>(if isWanted: Bool, _ body: (Bool) -> Value) -> Value {
        let others = busy.add(1, ordering: .relaxed).oldValue
        let hasHelper = isWanted && others + 2 <= linux_count_cores(linux_allowed_cores())
        if hasHelper { busy.add(1, ordering: .relaxed) }
        defer { busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed) }
        return body(hasHelper)
    }
}
