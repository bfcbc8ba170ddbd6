import Dispatch
package import Foundation

/// Runs closures later, so that tests can move time by hand.
package protocol DelayTimer: Sendable {
    /// Runs `block` once, `seconds` from now, on any thread.
    func after(_ seconds: TimeInterval, _ block: @escaping @Sendable () -> Void)
}

/// Waits by the machine's clock.
package struct DispatchDelayTimer: DelayTimer {
    package init() {}

    package func after(_ seconds: TimeInterval, _ block: @escaping @Sendable () -> Void) {
        // A century is for ever, and still a number of nanoseconds that dispatch can count.
        DispatchQueue.global().asyncAfter(deadline: .now() + min(seconds, 3e9), execute: block)
    }
}
