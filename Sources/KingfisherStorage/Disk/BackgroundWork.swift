import Dispatch
package import Foundation
import Glibc

/// Where an engine does what no caller waits for; tests do it by hand.
package struct BackgroundWork: Sendable {
    package typealias Work = @Sendable () -> Void

    private let start: @Sendable (_ delay: TimeInterval, _ work: @escaping Work) -> Void

    /// - Parameter start: Has the work done after a delay in seconds, one at a time and not before it
    ///   returns.
    package init(_ start: @escaping @Sendable (_ delay: TimeInterval, _ work: @escaping Work) -> Void) {
        self.start = start
    }

    func run(after delay: TimeInterval = 0, _ work: @escaping Work) {
        start(delay, work)
    }

    /// On a serial queue, which needs neither a run loop nor the main thread.
    package static func onQueue(_ label: String = "com.onevcat.Kingfisher.DiskEngine") -> BackgroundWork {
        let queue = DispatchQueue(label: label, qos: .utility)
        return BackgroundWork { delay, work in
            if delay > 0 {
                queue.asyncAfter(deadline: .now() + delay, execute: work)
            } else {
                queue.async(execute: work)
            }
        }
    }
}

extension BackgroundWork {
    /// Sleeps for half a millisecond during long work.
    ///
    /// A thread that has run for long is preempted anywhere: with an entry's lock, or while the kernel reads
    /// the names of a folder, which blocks renames into it. Other threads wait several milliseconds then. A
    /// thread that has just slept is not preempted.
    static func rest() { usleep(500) }
}
