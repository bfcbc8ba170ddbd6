import Glibc

/// Work that callbacks defer to the end of a loop's round, so that it is done once for all transfers that
/// ended in the round.
///
/// It belongs to the loop's thread and is found through thread-specific data.
package final class LoopIteration {
    private static let slot = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    // Unchecked for speed: no change calls other code.
    @exclusivity(unchecked) private var work: [() -> Void] = []

    func enter() {
        if let slot = Self.slot { pthread_setspecific(slot, Unmanaged.passUnretained(self).toOpaque()) }
    }

    func leave() {
        if let slot = Self.slot { pthread_setspecific(slot, nil) }
        end()
    }

    func end() {
        while !work.isEmpty {
            let due = work
            work = []
            for work in due { work() }
        }
    }

    /// Runs the deferred work on this thread. Call it before running other code that may wait for the work.
    package static func endEarly() { current?.end() }

    /// Runs `work` at the end of this thread's round; immediately if the thread has none.
    package static func whenOver(_ work: @escaping () -> Void) {
        guard let current else { return work() }
        current.work.append(work)
    }

    private static var current: LoopIteration? {
        guard let slot, let pointer = pthread_getspecific(slot) else { return nil }
        return Unmanaged<LoopIteration>.fromOpaque(pointer).takeUnretainedValue()
    }
}
