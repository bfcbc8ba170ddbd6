import Dispatch
package import Foundation
import Glibc

/// Runs work that no caller waits for. Tests run it manually.
package struct BackgroundWork: Sendable {
    package typealias Work = @Sendable () -> Void

    private let start: @Sendable (_ delay: TimeInterval, _ work: @escaping Work) -> Void

    /// - Parameter start: Starts the work after a delay in seconds. It must run one piece of work at a time,
    ///   and never before it returns.
    package init(_ start: @escaping @Sendable (_ delay: TimeInterval, _ work: @escaping Work) -> Void) {
        self.start = start
    }

    func run(after delay: TimeInterval = 0, _ work: @escaping Work) {
        start(delay, work)
    }

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
    /// A thread that has run for long is preempted at any point: while it holds an entry's lock, or while the
    /// kernel reads the names of a folder, which blocks renames into it. Other threads then wait several
    /// milliseconds. A thread that has just slept is not preempted.
    static func rest() { usleep(500) }
}
