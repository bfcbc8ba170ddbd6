import Glibc

/// Work that the callbacks of one round of a loop put off to its end, so that it is done once for
/// all transfers that ended together.
///
/// It belongs to the loop's thread, and other code on that thread finds it there.
package final class LoopRound {
    private static let slot = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    private var work: [() -> Void] = []

    /// Makes this thread one that has rounds, until ``leave()``.
    func enter() {
        if let slot = Self.slot { pthread_setspecific(slot, Unmanaged.passUnretained(self).toOpaque()) }
    }

    func leave() {
        if let slot = Self.slot { pthread_setspecific(slot, nil) }
        end()
    }

    /// Does what was put off.
    func end() {
        while !work.isEmpty {
            let due = work
            work = []
            for work in due { work() }
        }
    }

    /// Does what was put off on this thread: for who is about to run code of others, which may wait for it.
    package static func endEarly() { current?.end() }

    /// Does `work` on this thread when its round is over; at once on a thread that has none.
    package static func whenOver(_ work: @escaping () -> Void) {
        guard let current else { return work() }
        current.work.append(work)
    }

    private static var current: LoopRound? {
        guard let slot, let pointer = pthread_getspecific(slot) else { return nil }
        return Unmanaged<LoopRound>.fromOpaque(pointer).takeUnretainedValue()
    }
}
