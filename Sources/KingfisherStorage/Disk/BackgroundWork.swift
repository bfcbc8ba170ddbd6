import Dispatch
package import Foundation

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
